import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { isActiveStatus, useRun } from "@/api/runs";
import { discardUpload, registerPath, type UploadOut } from "@/api/uploads";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { RunProgress } from "@/components/run-progress";

/** An object on its way from its store: how far it is, and how to go on when it stopped. */
export function FetchPanel({ upload }: { readonly upload: UploadOut }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const run = useRun(upload.run?.id ?? null, upload.run).data;
  const active = run !== undefined && isActiveStatus(run.status);
  const arrived = run?.status === "succeeded";
  useEffect(() => {
    if (arrived) {
      void queryClient.invalidateQueries({ queryKey: ["uploads", upload.id] });
    }
  }, [arrived, queryClient, upload.id]);
  const again = useMutation({
    mutationFn: () => registerPath(upload.path ?? ""),
    onSuccess: async (made) => {
      await queryClient.invalidateQueries({ queryKey: ["uploads"] });
      // Another version of the object is another upload.
      await navigate({ to: "/uploads/$uploadId", params: { uploadId: made.id } });
    },
  });
  const discard = useMutation({
    mutationFn: () => discardUpload(upload.id),
    onSuccess: async () => {
      await navigate({ to: "/workloads" });
      await queryClient.invalidateQueries({ queryKey: ["uploads"], exact: true });
    },
  });
  return (
    <Panel title="The object is being fetched">
      <Stack gap="sm">
        <Text size="sm">
          {upload.path} is copied to the server with its SHA-256. The first records are
          shown once it is complete; you can leave this page meanwhile.
        </Text>
        {run !== undefined && <RunProgress run={run} />}
        {!active && !arrived && (
          <Group gap="sm">
            <Button loading={again.isPending} onClick={() => again.mutate()}>
              Fetch the rest
            </Button>
            <Button
              variant="default"
              loading={discard.isPending}
              onClick={() => discard.mutate()}
            >
              Discard the partial download
            </Button>
            <Button
              variant="default"
              renderRoot={(rest) => <Link to="/workloads" {...rest} />}
            >
              Choose another file
            </Button>
          </Group>
        )}
        {again.error !== null && (
          <ProblemAlert error={again.error} title="The object could not be fetched" />
        )}
        {discard.error !== null && (
          <ProblemAlert error={discard.error} title="The upload was not removed" />
        )}
      </Stack>
    </Panel>
  );
}
