import { Button, Group, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ProblemAlert } from "./problem-alert";

const MOST_CHARACTERS = 200;

interface CreateWorkloadProps {
  readonly label: string;
  readonly name: string;
  readonly onName: (name: string) => void;
  readonly create: () => Promise<{ readonly id: string }>;
  /** Before the page of the new workload is opened. */
  readonly onDone?: () => void;
  /** What the button says. */
  readonly action: string;
  readonly disabled: boolean;
  /** Title of the error. */
  readonly failed: string;
  readonly children?: ReactNode;
}

/** A name and a button: makes a workload, and opens its page. */
export function CreateWorkload(props: CreateWorkloadProps) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const create = useMutation({
    mutationFn: props.create,
    onSuccess: async ({ id }) => {
      await queryClient.invalidateQueries({ queryKey: ["workloads"] });
      props.onDone?.();
      await navigate({ to: "/workloads/$workloadId", params: { workloadId: id } });
    },
  });
  return (
    <>
      <Group align="flex-end">
        <TextInput
          label={props.label}
          value={props.name}
          maxLength={MOST_CHARACTERS}
          style={{ flex: "1 1 220px" }}
          onChange={(event) => props.onName(event.currentTarget.value)}
        />
        <Button
          onClick={() => create.mutate()}
          loading={create.isPending}
          disabled={props.disabled}
        >
          {props.action}
        </Button>
      </Group>
      {props.children}
      {create.error !== null && (
        <ProblemAlert error={create.error} title={props.failed} />
      )}
    </>
  );
}
