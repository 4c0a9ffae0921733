import { Button, Group, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { registerPath, type StorageOut, storageQuery } from "@/api/uploads";
import { bytes, formatBytes } from "@/units/quantity";
import { Disclosure } from "./disclosure";
import { ProblemAlert } from "./problem-alert";

/** What the server allows: its room and limits, and files that lie there already. */
export function ServerSide() {
  const storage = useQuery(storageQuery()).data;
  if (storage === undefined) {
    return null;
  }
  return (
    <>
      {storage.trace_roots.length > 0 && <RegisterForm roots={storage.trace_roots} />}
      <Room storage={storage} />
    </>
  );
}

/** "1.2 GiB of 20 GiB used; a file may have up to 20 GiB." */
export function roomText(storage: StorageOut): string {
  const used = formatBytes(bytes(storage.used_bytes));
  const limit =
    storage.limit_bytes === null
      ? `${used} used, ${formatBytes(bytes(storage.free_bytes))} free on the disk, of which ${formatBytes(bytes(storage.reserve_bytes))} stay free`
      : `${used} of ${formatBytes(bytes(storage.limit_bytes))} used`;
  return `Uploads and workloads: ${limit}. One file may have up to ${formatBytes(bytes(storage.upload_limit_bytes))}.`;
}

function Room({ storage }: { readonly storage: StorageOut }) {
  return (
    <div>
      <Text size="sm" c="dimmed">
        {roomText(storage)}
      </Text>
      {storage.largest.length > 0 && (
        <Disclosure label="What takes the most room">
          <ul style={{ fontSize: 14, margin: 0, paddingLeft: 20 }}>
            {storage.largest.map((item) => (
              <li key={`${item.kind} ${item.id}`}>
                {item.name} ({item.kind}): {formatBytes(bytes(item.size_bytes))}
              </li>
            ))}
          </ul>
        </Disclosure>
      )}
    </div>
  );
}

function RegisterForm({ roots }: { readonly roots: readonly string[] }) {
  const [path, setPath] = useState("");
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const register = useMutation({
    mutationFn: () => registerPath(path.trim()),
    onSuccess: (upload) => {
      void queryClient.invalidateQueries({ queryKey: ["uploads"] });
      void navigate({ to: "/uploads/$uploadId", params: { uploadId: upload.id } });
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        register.mutate();
      }}
    >
      <Group align="end" gap="sm">
        <TextInput
          label="Or use a file that lies on the server"
          description={`Its path, in ${roots.join(" or ")}; it is read there and not copied`}
          placeholder={`${roots[0]}/trace.csv.zst`}
          value={path}
          maxLength={4096}
          style={{ flex: "1 1 320px" }}
          onChange={(event) => setPath(event.currentTarget.value)}
        />
        <Button
          type="submit"
          variant="default"
          loading={register.isPending}
          disabled={path.trim() === ""}
        >
          Use this file
        </Button>
      </Group>
      {register.error !== null && (
        <ProblemAlert error={register.error} title="This file is not used" />
      )}
    </form>
  );
}
