import { Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { type FormulaOut, formulaPageQuery } from "@/api/formulas";
import { Dialog } from "@/components/dialog";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { PAGES } from "@/questions/navigation";
import classes from "./formulas.module.css";

/** What a formula says, where it comes from, and where it is part of an answer. */
export function FormulaAbout({ formula }: { readonly formula: FormulaOut }) {
  const [reading, setReading] = useState(false);
  const page = PAGES.find(({ label }) => label === formula.page);
  return (
    <Panel
      title={formula.title}
      subtitle={formula.says}
      actions={
        <Button size="compact-sm" variant="default" onClick={() => setReading(true)}>
          Read the model page
        </Button>
      }
    >
      <code className={classes["formula"]}>{formula.formula}</code>
      <dl className={classes["facts"]}>
        <dt>Name</dt>
        <dd>
          <code>{formula.name}</code>
        </dd>
        <dt>Source</dt>
        <dd>{formula.source}</dd>
        <dt>Estimator</dt>
        <dd>{formula.estimator}</dd>
        <dt>Holds for</dt>
        <dd>{formula.validity}</dd>
        {(page !== undefined || formula.command !== "formula") && (
          <>
            <dt>Part of</dt>
            <dd>
              <Group gap="4px 12px">
                {page !== undefined && <Link to={page.to}>{page.label}</Link>}
                {formula.command !== "formula" && (
                  <code>tierwright {formula.command}</code>
                )}
                {formula.address !== "" && <code>/api/v1{formula.address}</code>}
              </Group>
            </dd>
          </>
        )}
      </dl>
      <Dialog
        opened={reading}
        onClose={() => setReading(false)}
        size="min(1080px, 95vw)"
        title={`Page of ${formula.name}: docs/models/${formula.page_file}`}
      >
        {reading && <PageText name={formula.name} />}
      </Dialog>
    </Panel>
  );
}

function PageText({ name }: { readonly name: string }) {
  const page = useQuery(formulaPageQuery(name));
  if (page.error !== null) {
    return <ProblemAlert error={page.error} onRetry={() => void page.refetch()} />;
  }
  return page.data === undefined ? (
    <Text size="sm">Loading the page …</Text>
  ) : (
    <pre className={classes["block"]}>{page.data.text}</pre>
  );
}
