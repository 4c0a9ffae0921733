import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { EntryList } from "@/components/entry-list";
import list from "@/components/entry-list.module.css";
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
  return (
    <EntryList
      one="operation"
      several="operations"
      placeholder="Path or keyword"
      label="Operations by group"
      text={text}
      onText={setText}
      shown={shown.length}
      all={calls.length}
      chosen={chosen}
    >
      {[...new Set(shown.map(({ group }) => group))].map((group) => (
        <div key={group}>
          <h2 className={list["group"]}>{capitalised(group)}</h2>
          <ul className={list["entries"]}>
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
    </EntryList>
  );
}

const capitalised = (text: string): string =>
  text.charAt(0).toUpperCase() + text.slice(1);

function Entry({ call, chosen }: { readonly call: Call; readonly chosen: boolean }) {
  return (
    <Link
      to="/docs"
      search={(now) => ({ ...now, operation: call.operationId, refused: undefined })}
      className={list["entry"]}
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
