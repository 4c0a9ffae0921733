import { Button, Group, Paper, Text } from "@mantine/core";
import { useSyncExternalStore } from "react";
import classes from "./toasts.module.css";

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void };
}

const SHOWN_MS = 10_000;
const listeners = new Set<() => void>();
let toasts: readonly Toast[] = [];
let nextId = 1;

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) {
    listener();
  }
}

export function dismissToast(id: number): void {
  set(toasts.filter((toast) => toast.id !== id));
}

/** Tells the user something in passing; returns the id of the message. */
export function showToast(text: string, action?: Toast["action"]): number {
  const id = nextId;
  nextId += 1;
  set([...toasts, action === undefined ? { id, text } : { id, text, action }]);
  window.setTimeout(() => dismissToast(id), SHOWN_MS);
  return id;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div className={classes["stack"]} role="status" aria-live="polite">
      {shown.map((toast) => (
        <Paper
          key={toast.id}
          withBorder
          shadow="md"
          p="sm"
          className={classes["toast"]}
        >
          <Group justify="space-between" wrap="nowrap">
            <Text size="sm">{toast.text}</Text>
            <Group gap={4} wrap="nowrap">
              {toast.action !== undefined && (
                <Button
                  size="compact-sm"
                  variant="light"
                  onClick={() => {
                    toast.action?.run();
                    dismissToast(toast.id);
                  }}
                >
                  {toast.action.label}
                </Button>
              )}
              <Button
                size="compact-sm"
                variant="subtle"
                onClick={() => dismissToast(toast.id)}
              >
                Close
              </Button>
            </Group>
          </Group>
        </Paper>
      ))}
    </div>
  );
}
