import { KIND_TITLES } from "./kind-titles";

/** Names that a reader knows, by the id that a message holds. */
export type Names = ReadonlyMap<string, string>;

/** Messages of the command write 14%, the page 14 %. */
const PER_CENT = /(\d)%/g;

/**
 * A message of the server: values in backticks become code, or the name of what they
 * identify where `names` knows it, and the first letter a capital. Its closing full
 * stop is the caller's.
 */
export function Prose(props: { readonly text: string; readonly names?: Names }) {
  const sentence = props.text.trim().replace(/\.$/, "");
  const parts = (sentence.charAt(0).toUpperCase() + sentence.slice(1)).split("`");
  return parts.map((part, index) => {
    // The parts of one message never move, and every second one stood in backticks.
    const name =
      index % 2 === 1
        ? (props.names?.get(part) ?? KIND_TITLES.get(part))
        : part.replace(PER_CENT, "$1\u00a0%");
    return name === undefined ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: see above
      <code key={index}>{part}</code>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: see above
      <span key={index}>{name}</span>
    );
  });
}
