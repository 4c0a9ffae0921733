import { useDebouncedValue } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";

const ASK_AFTER_MS = 40;
// Browsers refuse more than about 100 address changes in half a minute.
const ADDRESS_AFTER_MS = 350;

/**
 * A value under a slider. It moves at once, the server is asked when it rests for
 * 40 ms, and the address follows when it rests longer.
 */
export function useSettled(
  address: number,
  write: (value: number) => void,
): {
  readonly value: number;
  readonly asked: number;
  readonly setValue: (value: number) => void;
} {
  const [value, setValue] = useState(address);
  const written = useRef(address);
  const latest = useRef(write);
  latest.current = write;

  // The address was changed by something else (back button, another device).
  useEffect(() => {
    if (written.current !== address) {
      written.current = address;
      setValue(address);
    }
  }, [address]);

  useEffect(() => {
    if (value === written.current) {
      return;
    }
    const timer = window.setTimeout(() => {
      written.current = value;
      latest.current(value);
    }, ADDRESS_AFTER_MS);
    return () => window.clearTimeout(timer);
  }, [value]);

  const [asked] = useDebouncedValue(value, ASK_AFTER_MS);
  return { value, asked, setValue };
}
