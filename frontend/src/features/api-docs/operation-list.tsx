import { Text, TextInput } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { ScrollRegion } from "@/components/scroll-region";
import classes from "./api-docs.module.css";
import { type Call, foundCalls, titleOf } from "./document";

interface OperationListProps {
  readonly calls: readonly Call[];
  readonly chosen: string | undefined;
}

/** All operations by group; typing leaves those in which every word occurs. */
export function OperationList({ calls, chosen }: OperationListProps) {
  const [text, setText] = useState("");
  const shown = foundCalls(calls, text);
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    const entry = section.current?.querySelector<HTMLElement>(
      `a[data-name="${chosen}"]`,
    );
    const scrolled = entry?.closest<HTMLElement>(".tw-scroll");
    // Only the list moves: `scrollIntoView` would move the page as well.
    if (entry && scrolled) {
      const { scrollTop, clientHeight } = scrolled;
      const visible =
        entry.offsetTop >= scrollTop &&
        entry.offsetTop + entry.offsetHeight <= scrollTop + clientHeight;
      if (!visible) {
        scrolled.scrollTop = entry.offsetTop - (clientHeight - entry.offsetHeight) / 2;
      }
    }
  }, [chosen]);
  return (
    <section
      ref={section}
      className={`tw-panel ${classes["list"]}`}
      aria-label="All operations"
    >
      <TextInput
        label="Find an operation"
        placeholder="Address or word"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Text size="sm" c="dimmed" mt={4} role="status">
        {shown.length === 0
          ? "No operation matches all these words. Try fewer."
          : `${shown.length} of ${calls.length}`}
      </Text>
      <ScrollRegion label="Operations by group" style={SCROLL}>
        {[...new Set(shown.map(({ group }) => group))].map((group) => (
          <div key={group}>
            <h2 className={classes["group"]}>{capitalised(group)}</h2>
            <ul className={classes["entries"]}>
              {shown
                .filter((call) => call.group === group)
                .map((call) => (
                  <li key={call.operationId}>
                    <Entry call={call} chosen={call.operationId === chosen} />
                  </li>
                ))}
            </ul>
          </div>
        ))}
      </ScrollRegion>
    </section>
  );
}

const SCROLL = {
  maxHeight: "var(--tw-operation-list, calc(100vh - 290px))",
  overflowY: "auto",
  marginTop: 8,
} as const;

const capitalised = (text: string): string =>
  text.charAt(0).toUpperCase() + text.slice(1);

function Entry({ call, chosen }: { readonly call: Call; readonly chosen: boolean }) {
  return (
    <Link
      to="/docs"
      search={(now) => ({ ...now, operation: call.operationId, refused: undefined })}
      className={classes["entry"]}
      data-name={call.operationId}
      activeProps={{}}
      aria-current={chosen ? "true" : undefined}
      resetScroll={false}
      preload={false}
    >
      {titleOf(call)}
      <span className={classes["address"]}>
        {call.method} {call.path.replace("/api/v1", "") || "/"}
      </span>
    </Link>
  );
}
