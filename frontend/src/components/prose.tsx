/**
 * A message of the server: values in backticks become code, and the first letter a
 * capital. Its closing full stop is the caller's.
 */
export function Prose({ text }: { readonly text: string }) {
  const sentence = text.trim().replace(/\.$/, "");
  const parts = (sentence.charAt(0).toUpperCase() + sentence.slice(1)).split("`");
  return parts.map((part, index) =>
    // The parts of one message never move, and every second one stood in backticks.
    // biome-ignore lint/suspicious/noArrayIndexKey: see above
    index % 2 === 1 ? <code key={index}>{part}</code> : <span key={index}>{part}</span>,
  );
}
