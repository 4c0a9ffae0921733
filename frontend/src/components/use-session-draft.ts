import { useCallback, useState } from "react";

function stored<T extends object>(key: string, initial: T): T {
  try {
    const text = window.sessionStorage.getItem(key);
    const value: unknown = text === null ? null : JSON.parse(text);
    return typeof value === "object" && value !== null
      ? { ...initial, ...(value as Partial<T>) }
      : initial;
  } catch {
    // Storage may be switched off; the draft then lives as long as the page.
    return initial;
  }
}

/** What is typed survives a reload, until the tab is closed. */
export function useSessionDraft<T extends object>(key: string, initial: T) {
  const [draft, setDraft] = useState<T>(() => stored(key, initial));
  const change = useCallback(
    (next: T) => {
      setDraft(next);
      try {
        window.sessionStorage.setItem(key, JSON.stringify(next));
      } catch {
        // As above: without storage nothing is lost but the reload.
      }
    },
    [key],
  );
  return [draft, change] as const;
}
