import type { CSSProperties, ReactNode } from "react";

interface ScrollRegionProps {
  readonly label: string;
  readonly style?: CSSProperties;
  readonly children: ReactNode;
}

/** A region that scrolls by itself, reachable by keyboard so that it can be scrolled. */
export function ScrollRegion({ label, style, children }: ScrollRegionProps) {
  return (
    <section
      className="tw-scroll"
      aria-label={label}
      style={style}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll only what has the focus
      tabIndex={0}
    >
      {children}
    </section>
  );
}
