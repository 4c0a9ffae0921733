import { Anchor, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import type { AdviceOptionOut, AdviceOut } from "@/api/advice";
import { devicesQuery } from "@/api/catalog";
import { workloadsQuery } from "@/api/workloads";
import { Panel } from "@/components/panel";
import {
  evidenceLinks,
  evidenceText,
  knownDevices,
  noEvidenceText,
  pointOf,
} from "@/questions/evidence";
import classes from "./advice.module.css";

interface EvidenceProps {
  readonly found: AdviceOut;
  readonly option: AdviceOptionOut;
}

/** The pages that answer with the figures of an option, or why none can; nothing until the devices are known. */
function useEvidence({ found, option }: EvidenceProps) {
  const devices = useQuery(devicesQuery()).data;
  const workloads = useQuery(workloadsQuery()).data;
  return useMemo(() => {
    if (devices === undefined || workloads === undefined) {
      return null;
    }
    const knows = knownDevices(devices);
    const point = pointOf(option, knows);
    const summary = workloads.find(({ id }) => id === found.workload_id)?.summary;
    return {
      text: point === null ? noEvidenceText(option) : evidenceText(option, point),
      workload: point === null ? found.workload_id : null,
      links: evidenceLinks(found, option, {
        knows,
        replayable: summary?.replayable ?? false,
      }),
    };
  }, [devices, workloads, found, option]);
}

/** Links to the pages of single questions, opened at an option. */
export function EvidenceList(props: EvidenceProps) {
  const evidence = useEvidence(props);
  if (evidence === null) {
    return null;
  }
  return (
    <section aria-label={`Evidence of ${props.option.name}`}>
      <Text size="sm" fw={500}>
        Evidence
      </Text>
      <EvidenceLinks {...evidence} />
    </section>
  );
}

/** The same of the recommendation, as a part of the answer. */
export function EvidencePanel(props: EvidenceProps) {
  const evidence = useEvidence(props);
  if (evidence === null) {
    return null;
  }
  return (
    <Panel
      title="Evidence"
      subtitle={
        evidence.links.length > 0
          ? "One question each, about this option."
          : "No page of a single question can be opened at this option."
      }
      label="Evidence"
    >
      <EvidenceLinks {...evidence} />
    </Panel>
  );
}

function EvidenceLinks({
  text,
  links,
  workload,
}: {
  readonly text: string;
  readonly links: ReturnType<typeof evidenceLinks>;
  /** Whose curves stand for the pages that cannot be opened. */
  readonly workload: string | null;
}) {
  if (workload !== null) {
    return (
      <Text size="sm">
        {text} Its bill and figures stand above; what they are computed from stands
        under{" "}
        <Anchor
          renderRoot={(rest) => (
            <Link
              to="/workloads/$workloadId"
              params={{ workloadId: workload }}
              {...rest}
            />
          )}
          underline="always"
          size="sm"
        >
          the workload’s curves
        </Anchor>
        .
      </Text>
    );
  }
  return (
    <>
      <ul className={classes["evidence"]}>
        {links.map(({ question, to, label, shows, search }) => (
          <li key={question}>
            <Anchor
              component={Link}
              to={to}
              underline="always"
              search={((previous: object) => ({ ...previous, ...search })) as never}
              size="sm"
            >
              {label}
            </Anchor>
            : {shows}
          </li>
        ))}
      </ul>
      <Text size="sm" c="dimmed">
        {text}
      </Text>
    </>
  );
}
