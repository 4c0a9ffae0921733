import { useEffect, useRef } from "react";

const TYPING = "input:not([type=range]), textarea, select, [contenteditable=true]";

/** Single-key shortcuts, silent while something is being typed. */
export function useGlobalKeys(keys: Readonly<Record<string, () => void>>): void {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const typing = event.target instanceof Element && event.target.matches(TYPING);
      if (typing || event.ctrlKey || event.metaKey || event.altKey) {
        return;
      }
      const run = latest.current[event.key];
      if (run !== undefined) {
        event.preventDefault();
        run();
      }
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);
}
