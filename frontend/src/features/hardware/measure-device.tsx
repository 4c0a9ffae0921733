import {
  Button,
  Code,
  Group,
  List,
  Skeleton,
  Stack,
  Text,
  TextInput,
  Title,
} from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import {
  type MeasurePlanIn,
  type MeasurePlanOut,
  measurePlanQuery,
} from "@/api/measure-plan";
import { Dialog } from "@/components/dialog";
import { Disclosure } from "@/components/disclosure";
import { NumberField } from "@/components/number-field";
import { ProblemAlert } from "@/components/problem-alert";
import { Prose } from "@/components/prose";
import { showToast } from "@/components/toasts";
import { bytes, formatBytes } from "@/units/quantity";
import classes from "./hardware.module.css";

const GIB = 2 ** 30;
const SECONDS_PER_MINUTE = 60;
const USUAL_TIMES = 16;

interface Asked {
  readonly folder: string;
  readonly pageBytes: number;
  readonly fileGib: number;
  readonly minutes: number;
  readonly writtenGib: number | null;
}

const USUAL: Omit<Asked, "pageBytes"> = {
  folder: "/mnt/drive",
  fileGib: 4,
  minutes: 20,
  writtenGib: null,
};

const questionOf = (asked: Asked): MeasurePlanIn => ({
  folder: asked.folder.trim() === "" ? "." : asked.folder.trim(),
  page_bytes: asked.pageBytes,
  file_bytes: Math.round(asked.fileGib * GIB),
  most_s: asked.minutes * SECONDS_PER_MINUTE,
  most_written_bytes:
    asked.writtenGib === null ? null : Math.round(asked.writtenGib * GIB),
});

/** How to measure a device: the command, what it writes, and how its result comes back. */
export function MeasureDevice(props: {
  readonly pageBytes: number;
  readonly onImport: () => void;
  readonly onClose: () => void;
}) {
  const [asked, setAsked] = useState<Asked>({ ...USUAL, pageBytes: props.pageBytes });
  const plan = useQuery(measurePlanQuery(questionOf(asked)));
  const change = (part: Partial<Asked>) => setAsked({ ...asked, ...part });
  return (
    <Dialog
      opened
      onClose={props.onClose}
      size="min(900px, 95vw)"
      title="Measure a device"
      closeOnClickOutside={false}
    >
      <Stack gap="lg">
        <Part title="1. Choose what to measure">
          <AskedFields asked={asked} onChange={change} />
        </Part>
        <Part title="2. Run this on the machine of the device">
          {plan.error !== null && (
            <ProblemAlert error={plan.error} title="This cannot be measured" />
          )}
          {plan.error === null &&
            (plan.data === undefined ? (
              <Skeleton height={160} animate={false} />
            ) : (
              <Planned plan={plan.data} />
            ))}
        </Part>
        <Part title="3. Import its raw results">
          <Text size="sm">
            The command writes <Code>device.toml</Code>, which every command accepts as
            a device, and beside it <Code>device.fio.json</Code>, the raw results.
            Import the second one here.
          </Text>
          <Group>
            <Button onClick={props.onImport}>Import device.fio.json</Button>
            <Button variant="default" onClick={props.onClose}>
              Close
            </Button>
          </Group>
        </Part>
      </Stack>
    </Dialog>
  );
}

function Part(props: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {props.title}
      </Title>
      {props.children}
    </Stack>
  );
}

function AskedFields(props: {
  readonly asked: Asked;
  readonly onChange: (part: Partial<Asked>) => void;
}) {
  const { asked, onChange } = props;
  const [folder, setFolder] = useState(asked.folder);
  return (
    <div className={classes["fields"]}>
      <TextInput
        className={classes["wide"] ?? ""}
        label="Folder on the device"
        maxLength={500}
        value={folder}
        data-autofocus
        onChange={(event) => setFolder(event.currentTarget.value)}
        onBlur={() => onChange({ folder })}
        onKeyDown={(event) => event.key === "Enter" && onChange({ folder })}
      />
      <NumberField
        label="Page"
        unit="B"
        value={asked.pageBytes}
        min={512}
        max={2 ** 24}
        whole
        onChange={(pageBytes) => onChange({ pageBytes })}
      />
      <NumberField
        label="File to make"
        unit="GiB"
        value={asked.fileGib}
        min={1 / 64}
        max={2 ** 14}
        onChange={(fileGib) => onChange({ fileGib })}
      />
      <NumberField
        label="Time at most"
        unit="min"
        value={asked.minutes}
        min={1}
        max={10_000}
        onChange={(minutes) => onChange({ minutes })}
      />
      <NumberField
        label="Written at most"
        unit="GiB"
        value={asked.writtenGib ?? USUAL_TIMES * asked.fileGib}
        min={1 / 64}
        max={2 ** 20}
        onChange={(writtenGib) =>
          onChange({
            writtenGib: writtenGib === USUAL_TIMES * asked.fileGib ? null : writtenGib,
          })
        }
      />
    </div>
  );
}

function Planned({ plan }: { readonly plan: MeasurePlanOut }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(plan.command);
      showToast("The command is on the clipboard.");
    } catch {
      showToast("The browser did not allow copying; select the command and copy it.");
    }
  };
  return (
    <>
      <Code block className={classes["command"] ?? ""}>
        {plan.command}
      </Code>
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={() => void copy()}>
          Copy command
        </Button>
        <Text size="sm" c="dimmed">
          This server runs nothing. The command states all this again, and asks before
          it starts.
        </Text>
      </Group>
      <List size="sm" spacing={4}>
        {plan.sentences.map((sentence) => (
          <List.Item key={sentence}>{sentence}</List.Item>
        ))}
      </List>
      <Text size="sm">
        <Prose text={`If fio is missing: ${plan.how_to_install}.`} names={new Map()} />
      </Text>
      <Disclosure label={`The ${plan.jobs.length} patterns`}>
        <List size="sm">
          {plan.jobs.map((job) => (
            <List.Item key={job.name}>
              {job.most_written_bytes === 0
                ? job.title
                : `${job.title}: writes at most ${formatBytes(bytes(job.most_written_bytes))}`}
            </List.Item>
          ))}
        </List>
      </Disclosure>
    </>
  );
}
