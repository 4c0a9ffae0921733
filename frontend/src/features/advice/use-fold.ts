import { type RefObject, useEffect, useRef, useState } from "react";
import type { Place } from "./form-fields";

/** Where the form was opened, and whether keys go on there. */
export interface Opening extends Place {
  readonly takesKeys: boolean;
}

export interface Fold {
  readonly isOpen: boolean;
  readonly at: Opening | null;
  /** Opened by its reader: where what was pressed is gone, keys go on at the place. */
  readonly open: (place?: Place) => void;
  /** Opened because something there is wrong: keys stay with who is typing. */
  readonly point: (place: Place) => void;
  /** Folds it, unless it holds a text that cannot be read, which would be lost: keys then go on there. */
  readonly fold: () => void;
  /** What holds the form. */
  readonly panel: RefObject<HTMLElement | null>;
}

const isAnywhere = (): boolean => {
  const { activeElement, body } = document;
  return activeElement === null || activeElement === body;
};

/** Whether the form is open, and where: folded, so that an answer is read first, unless something is wrong in it. */
export function useFold(fault: Place | null): Fold {
  const panel = useRef<HTMLElement>(null);
  const [isOpen, setOpen] = useState(fault !== null);
  const [at, setAt] = useState<Opening | null>(
    fault === null ? null : { ...fault, takesKeys: isAnywhere() },
  );
  return {
    isOpen,
    at,
    // Another object each time, so that the same place is gone to again.
    open: (place) => {
      setAt(place === undefined ? null : { ...place, takesKeys: true });
      setOpen(true);
    },
    point: (place) => {
      setAt({ ...place, takesKeys: isAnywhere() });
      setOpen(true);
    },
    fold: () => {
      const wrong = panel.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
      if (wrong == null) {
        setAt(null);
        setOpen(false);
      } else {
        wrong.focus();
      }
    },
    panel,
  };
}

/** Tells once of each fault, such as an error of the server, where the form holds what it is about. */
export function useFault<Fault>(
  fault: Fault | null,
  placeOf: (fault: Fault) => Place,
  onFault: (at: Place) => void,
): void {
  const told = useRef<Fault | null>(null);
  useEffect(() => {
    if (fault !== null && told.current !== fault) {
      onFault(placeOf(fault));
    }
    told.current = fault;
  }, [fault, placeOf, onFault]);
}
