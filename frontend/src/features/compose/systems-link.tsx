import { Button, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { Panel } from "@/components/panel";
import { type Member, MOST_PLACED, writeMembers } from "@/questions/members";

/** Leads to the advice on all of them: which share a system, and what each system is. */
export function SystemsLink({ members }: { readonly members: readonly Member[] }) {
  const isTooMany = members.length > MOST_PLACED;
  return (
    <Panel
      title="Which of them should share a system?"
      subtitle="Every group of workloads is asked as one question, with everything that may be bought or rented"
    >
      {isTooMany ? (
        <Text>
          At most {MOST_PLACED} workloads are placed on systems at once: remove some
          above, or keep those that belong together as one workload.
        </Text>
      ) : (
        <Button
          component={Link}
          to="/advise"
          search={
            ((previous: object) => ({
              ...previous,
              workload: members[0]?.id,
              workloads: writeMembers(members),
            })) as never
          }
        >
          Advise on all of them
        </Button>
      )}
    </Panel>
  );
}
