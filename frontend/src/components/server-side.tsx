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
  const limit = `${used} of ${formatBytes(bytes(storage.limit_bytes))} used`;
  return `Uploads, workloads and results: ${limit}. One file may have up to ${formatBytes(bytes(storage.upload_limit_bytes))}.`;
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

const isPrefix = (root: string) => root.includes("://");

/** What the roots let one name, in the words of the form. */
export function registerWords(roots: readonly string[]) {
  const folders = roots.filter((root) => !isPrefix(root));
  const prefixes = roots.filter(isPrefix);
  const label = [
    ...(folders.length > 0 ? ["a file that lies on the server"] : []),
    ...(prefixes.length > 0 ? ["an object of a store"] : []),
  ];
  const description = [
    ...(folders.length > 0
      ? [`its path, in ${folders.join(" or ")}; it is read there and not copied`]
      : []),
    ...(prefixes.length > 0
      ? [`its address, below ${prefixes.join(" or ")}; it is fetched to the server`]
      : []),
  ].join(". Or ");
  return {
    label: `Or use ${label.join(" or ")}`,
    description: description.charAt(0).toUpperCase() + description.slice(1),
    placeholder: `${roots[0] ?? ""}/trace.csv.zst`,
  };
}

function RegisterForm({ roots }: { readonly roots: readonly string[] }) {
  const words = registerWords(roots);
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
          label={words.label}
          description={words.description}
          placeholder={words.placeholder}
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
          {isPrefix(path) ? "Fetch this object" : "Use this file"}
        </Button>
      </Group>
      {register.error !== null && (
        <ProblemAlert
          error={register.error}
          title={`This ${isPrefix(path) ? "object" : "file"} is not used`}
        />
      )}
    </form>
  );
}
