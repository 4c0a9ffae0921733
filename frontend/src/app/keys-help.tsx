import { Dialog } from "@/components/dialog";

const KEYS = [
  ["/", "search pages, workloads, devices and scenarios"],
  ["?", "this list"],
  ["Tab, Shift + Tab", "next and previous control"],
  ["Arrow keys", "on a size slider: a quarter of an octave up or down"],
  ["Page Up, Page Down", "on a size slider: double, halve"],
  ["Home, End", "on a size slider: smallest, largest"],
  ["Enter", "take over a typed size; compute a formula"],
  ["Esc", "close a dialogue; undo a size not yet applied"],
] as const;

export function KeysHelp(props: {
  readonly opened: boolean;
  readonly onClose: () => void;
}) {
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title="Keyboard" size="lg">
      <table className="tw-table">
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col">Does</th>
          </tr>
        </thead>
        <tbody>
          {KEYS.map(([key, does]) => (
            <tr key={key}>
              <td>
                <kbd>{key}</kbd>
              </td>
              <td>{does}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  );
}
