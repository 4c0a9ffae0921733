import { DataTable } from "@/components/data-table";
import { Dialog } from "@/components/dialog";

const KEYS = [
  ["/", "Search pages, workloads, devices and scenarios"],
  ["?", "Show this list"],
  ["Tab, Shift + Tab", "Next and previous control"],
  ["Enter, Down", "On Explore or Library: open the list of its pages"],
  ["Arrow keys", "In a list of pages: previous and next page"],
  ["Arrow keys", "On a size slider: a quarter of an octave up or down"],
  ["Page Up, Page Down", "On a size slider: double or halve"],
  ["Home, End", "On a size slider: smallest or largest"],
  ["Enter", "Apply a typed size; compute a formula"],
  ["Esc", "Close a dialog or a list; undo a size not yet applied"],
] as const;

export function KeysHelp(props: {
  readonly opened: boolean;
  readonly onClose: () => void;
}) {
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title="Keyboard" size="lg">
      <DataTable
        label="Keyboard shortcuts"
        columns={[
          { key: "Key", align: "text", cell: ([key]) => <kbd>{key}</kbd> },
          { key: "Action", align: "text", cell: ([, action]) => action },
        ]}
        rows={KEYS}
        rowKey={([key, action]) => `${key} ${action}`}
      />
    </Dialog>
  );
}
