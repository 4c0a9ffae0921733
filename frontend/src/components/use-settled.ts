import { useCallback, useEffect, useRef, useState } from "react";

/** While a slider is dragged the server is asked this often. */
const ASK_EVERY_MS = 50;
// Browsers refuse more than about 100 address changes in half a minute.
const ADDRESS_AFTER_MS = 350;

/** What every slider of the page would still write into the address. */
const unwritten = new Set<() => void>();

/** Brings the address up to what the sliders show, for a link or a saved scenario. */
export function writeSettled(): void {
  for (const write of [...unwritten]) {
    write();
  }
}

/** A value under a slider, as the controls of a page take it. */
export interface Settled<T> {
  readonly value: T;
  /** What the server is asked for. */
  readonly asked: T;
  readonly setValue: (value: T) => void;
  /** Like `setValue`, from what stands there now. */
  readonly move: (to: (from: T) => T) => void;
}

/** A number under a slider, where it does not matter what is asked. */
export type Moving = Pick<Settled<number>, "value" | "setValue">;

/**
 * A value under a slider. It moves at once; the server is asked at the first move and,
 * while it goes on moving, every 50 ms; the address follows when it rests.
 *
 * `address` is what the address says; a value of several parts must stay the same
 * object while they do.
 */
export function useSettled<T>(
  address: T,
  write: (value: T) => void,
  same: (one: T, other: T) => boolean = Object.is,
): Settled<T> {
  const [value, setShown] = useState(address);
  const [asked, setAsked] = useState(address);
  const now = useRef(address);
  const written = useRef(address);
  const askedAt = useRef(Number.NEGATIVE_INFINITY);
  const timer = useRef<number | undefined>(undefined);
  const latest = useRef({ write, same });
  latest.current = { write, same };

  const ask = useCallback(() => {
    window.clearTimeout(timer.current);
    timer.current = undefined;
    askedAt.current = performance.now();
    setAsked(now.current);
  }, []);

  const setValue = useCallback(
    (to: T) => {
      now.current = to;
      setShown(to);
      const wait = askedAt.current + ASK_EVERY_MS - performance.now();
      if (wait <= 0) {
        ask();
      } else {
        timer.current ??= window.setTimeout(ask, wait);
      }
    },
    [ask],
  );
  const move = useCallback(
    (to: (from: T) => T) => setValue(to(now.current)),
    [setValue],
  );

  // The address was changed by something else (back button, another device).
  useEffect(() => {
    if (!latest.current.same(written.current, address)) {
      written.current = address;
      now.current = address;
      setShown(address);
      ask();
    }
  }, [address, ask]);

  useEffect(() => {
    if (latest.current.same(value, written.current)) {
      return;
    }
    const writeNow = () => {
      unwritten.delete(writeNow);
      written.current = value;
      latest.current.write(value);
    };
    unwritten.add(writeNow);
    const rest = window.setTimeout(writeNow, ADDRESS_AFTER_MS);
    return () => {
      unwritten.delete(writeNow);
      window.clearTimeout(rest);
    };
  }, [value]);

  useEffect(() => () => window.clearTimeout(timer.current), []);

  return { value, asked, setValue, move };
}
