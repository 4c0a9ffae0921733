import { Button, Group, Popover, Stack, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import type { AnalysisState } from "@/analysis/state";
import { answer } from "@/api/client";
import { createScenario } from "@/api/gen/sdk.gen";
import type { WorkloadOut } from "@/api/workloads";
import { CopyLink } from "@/components/copy-link";
import { ProblemAlert } from "@/components/problem-alert";
import { showToast } from "@/components/toasts";
import { bytes, bytesOfPages, formatBytes, pages } from "@/units/quantity";

interface CompareActionsProps {
  readonly point: AnalysisState;
  readonly workload: WorkloadOut;
  readonly check: string | undefined;
  readonly dirtyShare: number | undefined;
  readonly metadata: string | undefined;
}

export function CompareActions(props: CompareActionsProps) {
  const { point, check, dirtyShare, metadata } = props;
  const router = useRouter();
  return (
    <Group gap="xs">
      <SaveScenario {...props} />
      <CopyLink
        to="this comparison"
        href={() =>
          router.buildLocation({
            to: "/compare",
            search: { ...point, check, dirty_share: dirtyShare, metadata },
          }).href
        }
      />
    </Group>
  );
}

function suggestedName(point: AnalysisState, workload: WorkloadOut): string {
  const pageBytes = bytes(workload.summary?.page_bytes ?? 0);
  const size = (count: number) => formatBytes(bytesOfPages(pages(count), pageBytes));
  return `${workload.name}: ${size(point.ram_pages)} RAM, ${size(point.flash_pages)} flash`;
}

function SaveScenario(props: CompareActionsProps) {
  const { point, workload, check, dirtyShare, metadata } = props;
  const [opened, setOpened] = useState(false);
  const [name, setName] = useState("");
  const queryClient = useQueryClient();
  const router = useRouter();
  const save = useMutation({
    mutationFn: () =>
      answer(
        createScenario({
          body: {
            name: name.trim(),
            question: "compare",
            state: {
              ...point,
              ...(check === undefined ? {} : { check }),
              ...(dirtyShare === undefined ? {} : { dirty_share: dirtyShare }),
              ...(metadata === undefined ? {} : { metadata }),
            },
          },
          throwOnError: true,
        }),
      ),
    onSuccess: (scenario) => {
      setOpened(false);
      void queryClient.invalidateQueries({ queryKey: ["scenarios"] });
      showToast(`Saved: ${scenario.name}`, {
        label: "See scenarios",
        run: () => void router.navigate({ to: "/scenarios" }),
      });
    },
  });
  const open = () => {
    setName(suggestedName(point, workload));
    save.reset();
    setOpened(!opened);
  };
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      width={380}
      position="bottom-start"
      trapFocus
      shadow="md"
    >
      <Popover.Target>
        <Button variant="default" onClick={open}>
          Save scenario
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            save.mutate();
          }}
        >
          <Stack gap="sm">
            <TextInput
              label="Name"
              value={name}
              maxLength={200}
              required
              data-autofocus
              onChange={(event) => setName(event.currentTarget.value)}
            />
            {save.error !== null && (
              <ProblemAlert error={save.error} title="The scenario was not saved" />
            )}
            <Group>
              <Button
                type="submit"
                loading={save.isPending}
                disabled={name.trim() === ""}
              >
                Save
              </Button>
              <Button variant="default" onClick={() => setOpened(false)}>
                Close
              </Button>
            </Group>
          </Stack>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
