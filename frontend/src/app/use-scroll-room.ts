import { type RefObject, useEffect, useRef } from "react";

/** Between what gets the focus and the header. [px] */
const GAP = 12;

/**
 * Room at the top of what is scrolled, as high as the header that stays there: the place to which keys
 * or a link lead is not hidden behind it (WCAG 2.4.11). Measured, as the header has one to four lines.
 */
export function useScrollRoom(): RefObject<HTMLElement | null> {
  const header = useRef<HTMLElement>(null);
  useEffect(() => {
    const element = header.current;
    if (element === null) {
      return;
    }
    const root = document.documentElement;
    const observer = new ResizeObserver(() => {
      root.style.scrollPaddingTop = `${Math.ceil(element.offsetHeight) + GAP}px`;
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      root.style.scrollPaddingTop = "";
    };
  }, []);
  return header;
}
