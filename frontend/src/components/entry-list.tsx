import { Text, TextInput } from "@mantine/core";
import { type ReactNode, useEffect, useRef } from "react";
import classes from "./entry-list.module.css";
import { ScrollRegion } from "./scroll-region";

interface EntryListProps {
  /** What the list holds, such as "formula": one, and several. */
  readonly one: string;
  readonly several: string;
  readonly placeholder: string;
  /** Name of the part that scrolls. */
  readonly label: string;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly shown: number;
  readonly all: number;
  /** Value of `data-name` of the entry that is open; the list scrolls to it. */
  readonly chosen: string | undefined;
  readonly children: ReactNode;
}

/** A list beside a page, with a field that finds entries in it. */
export function EntryList(props: EntryListProps) {
  const { chosen } = props;
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    const entry = section.current?.querySelector<HTMLElement>(
      `a[data-name="${chosen}"]`,
    );
    const scrolled = entry?.closest<HTMLElement>(".tw-scroll");
    // Only the list moves: `scrollIntoView` would move the page as well.
    if (entry && scrolled) {
      const middle = entry.offsetTop - (scrolled.clientHeight - entry.offsetHeight) / 2;
      const { scrollTop, clientHeight } = scrolled;
      const visible =
        entry.offsetTop >= scrollTop &&
        entry.offsetTop + entry.offsetHeight <= scrollTop + clientHeight;
      scrolled.scrollTop = visible ? scrollTop : middle;
    }
  }, [chosen]);
  const { one, several } = props;
  return (
    <section
      ref={section}
      className={`tw-panel ${classes["list"]}`}
      aria-label={`All ${several}`}
    >
      <TextInput
        label={`Find ${several}`}
        placeholder={props.placeholder}
        value={props.text}
        onChange={(event) => props.onText(event.currentTarget.value)}
      />
      <Text size="sm" c="dimmed" mt={4} role="status">
        {props.shown === 0
          ? `No ${one} matches all these words. Use fewer words.`
          : `${props.shown} of ${props.all}`}
      </Text>
      <ScrollRegion label={props.label} style={SCROLL}>
        {props.children}
      </ScrollRegion>
    </section>
  );
}

const SCROLL = {
  maxHeight: "var(--tw-entry-list, calc(100vh - 290px))",
  overflowY: "auto",
  marginTop: 8,
} as const;
