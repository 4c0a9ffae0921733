import { Anchor, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { scenariosQuery } from "@/api/scenarios";
import { EmptyState } from "@/components/empty-state";
import { Page } from "@/components/page";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { UploadZone } from "@/components/upload-zone";
import { QUESTIONS, scenarioLink } from "@/questions/registry";
import { formatDate } from "@/units/quantity";
import { ExampleAnswer } from "./example-answer";
import classes from "./start.module.css";

const RECENT = 5;

export function StartPage() {
  return (
    <Page
      title="How much RAM, how much flash, and which pages where?"
      tab="Start"
      lead="Tierwright computes what a memory hierarchy costs for your own trace, and checks its answers by simulation."
    >
      <ExampleAnswer />
      <div className={classes["columns"]}>
        <Panel
          title="Your workload"
          subtitle="A trace of page or block accesses; the preview shows how it is read before anything is computed"
        >
          <UploadZone />
          <Text size="sm" mt="sm">
            No trace?{" "}
            <Anchor component={Link} to="/given-curve" underline="always">
              Paste a hit-ratio curve
            </Anchor>
            , Oracle’s cache advice or the counters of a running system;{" "}
            <Anchor component={Link} to="/describe" underline="always">
              describe the workload
            </Anchor>{" "}
            in a few numbers; or make a profile where the trace is, with{" "}
            <code>tierwright profile</code>, and drop it here.
          </Text>
        </Panel>
        <RecentScenarios />
      </div>
    </Page>
  );
}

function RecentScenarios() {
  const scenarios = useQuery(scenariosQuery());
  return (
    <Panel
      title="Recent scenarios"
      actions={
        <Anchor component={Link} to="/scenarios" size="sm">
          All scenarios
        </Anchor>
      }
    >
      {scenarios.error !== null && (
        <ProblemAlert
          error={scenarios.error}
          title="The scenarios could not be loaded"
        />
      )}
      {scenarios.isPending && <Skeleton height={120} animate={false} />}
      {scenarios.data?.length === 0 && (
        <EmptyState title="Nothing saved yet">
          Open a page such as Compare, set the sizes, and press “Save scenario”: it is
          then one click away from here.
        </EmptyState>
      )}
      <ul className={classes["list"]}>
        {(scenarios.data ?? []).slice(0, RECENT).map((scenario) => (
          <li key={scenario.id}>
            <Anchor
              renderRoot={(rest) => <Link {...scenarioLink(scenario)} {...rest} />}
            >
              {scenario.name}
            </Anchor>
            <Text size="sm" c="dimmed">
              {QUESTIONS[scenario.question].label}, {formatDate(scenario.updated_at)}
            </Text>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
