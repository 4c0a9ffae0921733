import { Button, Group, Stack, Textarea } from "@mantine/core";
import { type DragEvent, useRef, useState } from "react";
import classes from "./json-input.module.css";

export type JsonObject = Readonly<Record<string, unknown>>;

interface JsonInputProps {
  readonly label: string;
  readonly placeholder: string;
  /** What the file is, for those who do not see the button. */
  readonly fileLabel: string;
  /** How such a document is made, said where it is none. */
  readonly howToMake: string;
  readonly pending: boolean;
  readonly onRead: (document: JsonObject) => void;
  /** What was read before no longer stands in the field. */
  readonly onReset: () => void;
}

/** Tools write warnings before their document: it begins with the first line `{`. */
export function readObject(given: string): JsonObject {
  const start = given.startsWith("{") ? 0 : given.indexOf("\n{") + 1;
  const found: unknown = JSON.parse(given.slice(start));
  if (typeof found !== "object" || found === null || Array.isArray(found)) {
    throw new TypeError("it is JSON but not an object; paste the whole output");
  }
  return found as JsonObject;
}

/** Takes the JSON that a tool printed: pasted, dropped, or from a file. */
export function JsonInput(props: JsonInputProps) {
  const { howToMake, onRead, onReset } = props;
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const picker = useRef<HTMLInputElement>(null);
  const take = (given: string) => {
    setText(given);
    onReset();
    try {
      const document = readObject(given);
      setProblem(null);
      onRead(document);
    } catch (error) {
      setProblem(
        `This is not JSON (${error instanceof Error ? error.message : "unreadable"}). ${howToMake}`,
      );
    }
  };
  const takeFile = async (files: FileList | null) => {
    const file = files?.[0];
    if (file !== undefined) {
      take(await file.text());
    }
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    void takeFile(event.dataTransfer.files);
  };
  return (
    <Stack gap="sm">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is an extra; field and button do the same by keyboard */}
      <div onDragOver={(event) => event.preventDefault()} onDrop={onDrop}>
        <Textarea
          label={props.label}
          placeholder={props.placeholder}
          minRows={3}
          maxRows={6}
          autosize
          value={text}
          error={problem}
          onChange={(event) => setText(event.currentTarget.value)}
          classNames={{ input: classes["code"] ?? "" }}
        />
      </div>
      <Group gap="xs">
        <Button
          disabled={text.trim() === ""}
          loading={props.pending}
          onClick={() => take(text)}
        >
          Read output
        </Button>
        <Button variant="default" onClick={() => picker.current?.click()}>
          Choose a file
        </Button>
        <input
          ref={picker}
          type="file"
          accept=".json,application/json,text/plain"
          aria-label={props.fileLabel}
          className={classes["picker"]}
          tabIndex={-1}
          onChange={(event) => {
            void takeFile(event.currentTarget.files);
            event.currentTarget.value = "";
          }}
        />
      </Group>
    </Stack>
  );
}
