import { Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useId, useState } from "react";
import { devicesQuery } from "@/api/catalog";
import { formulasQuery } from "@/api/formulas";
import { scenariosQuery } from "@/api/scenarios";
import { workloadsQuery } from "@/api/workloads";
import { Dialog } from "@/components/dialog";
import { PAGES } from "@/questions/navigation";
import { scenarioLink } from "@/questions/registry";
import classes from "./shell.module.css";

interface Command {
  readonly id: string;
  readonly group: string;
  readonly label: string;
  readonly run: () => void;
}

const SHOWN = 12;

function useCommands(opened: boolean): Command[] {
  const navigate = useNavigate();
  const workloads = useQuery({ ...workloadsQuery(), enabled: opened }).data ?? [];
  const scenarios = useQuery({ ...scenariosQuery(), enabled: opened }).data ?? [];
  const devices = useQuery({ ...devicesQuery(), enabled: opened }).data ?? [];
  const formulas =
    useQuery({ ...formulasQuery(), enabled: opened }).data?.formulas ?? [];
  const page = (label: string, run: () => void): Command => ({
    id: `page ${label}`,
    group: "Page",
    label,
    run,
  });
  return [
    ...PAGES.map(({ to, label }) => page(label, () => void navigate({ to }))),
    page("Paste a curve", () => void navigate({ to: "/given-curve" })),
    page("Describe a workload", () => void navigate({ to: "/describe" })),
    ...workloads.map((workload) => ({
      id: `workload ${workload.id}`,
      group: "Workload",
      label: workload.name,
      run: () =>
        void navigate({
          to: "/workloads/$workloadId",
          params: { workloadId: workload.id },
        }),
    })),
    ...scenarios.map((scenario) => ({
      id: `scenario ${scenario.id}`,
      group: "Scenario",
      label: scenario.name,
      run: () => void navigate(scenarioLink(scenario)),
    })),
    ...devices.map((device) => ({
      id: `device ${device.id}`,
      group: "Device",
      label: device.name,
      run: () => void navigate({ to: "/hardware", hash: `device-${device.id}` }),
    })),
    ...formulas.map(({ name, title }) => ({
      id: `formula ${name}`,
      group: "Formula",
      label: `${title} (${name})`,
      run: () => void navigate({ to: "/formulas", search: { formula: name } }),
    })),
  ];
}

/** Every word typed must occur in the label or the group. */
export function matches(
  text: string,
  command: Pick<Command, "group" | "label">,
): boolean {
  const haystack = `${command.group} ${command.label}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => haystack.includes(word));
}

export function CommandPalette(props: {
  readonly opened: boolean;
  readonly onClose: () => void;
}) {
  return (
    <Dialog
      opened={props.opened}
      onClose={props.onClose}
      title="Go to"
      size="lg"
      yOffset="10vh"
    >
      <PaletteBody onClose={props.onClose} opened={props.opened} />
    </Dialog>
  );
}

function PaletteBody(props: {
  readonly opened: boolean;
  readonly onClose: () => void;
}) {
  const [text, setText] = useState("");
  const [active, setActive] = useState(0);
  const listId = useId();
  const found = useCommands(props.opened).filter((command) => matches(text, command));
  const shown = found.slice(0, SHOWN);
  const current = Math.min(active, Math.max(0, shown.length - 1));
  const choose = (command: Command | undefined) => {
    if (command !== undefined) {
      props.onClose();
      command.run();
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setActive(Math.min(Math.max(0, current + step), Math.max(0, shown.length - 1)));
    } else if (event.key === "Enter") {
      event.preventDefault();
      choose(shown[current]);
    }
  };
  return (
    <>
      <TextInput
        data-autofocus
        aria-label="Search pages, workloads, devices and scenarios"
        placeholder="Page, workload, device or scenario"
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
        role="combobox"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={shown.length > 0 ? `${listId}-${current}` : undefined}
      />
      <div
        id={listId}
        role="listbox"
        aria-label="Results"
        className={classes["results"]}
      >
        {shown.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the search field above holds the focus and handles the keys
          <div
            key={command.id}
            id={`${listId}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === current}
            className={classes["result"]}
            onClick={() => choose(command)}
          >
            <span>{command.label}</span>
            <span className={classes["group"]}>{command.group}</span>
          </div>
        ))}
      </div>
      <Text size="sm" c="dimmed" mt="xs" role="status">
        {shown.length === 0
          ? "No matches. Try fewer letters."
          : `${shown.length} of ${found.length}`}
      </Text>
    </>
  );
}
