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

/** "... 1.2 GiB of 20 GiB used. Maximum file size: 20 GiB." */
export function roomText(storage: StorageOut): string {
  const used = formatBytes(bytes(storage.used_bytes));
  const limit = `${used} of ${formatBytes(bytes(storage.limit_bytes))} used`;
  return `Uploads, workloads and results: ${limit}. Maximum file size: ${formatBytes(bytes(storage.upload_limit_bytes))}.`;
}

function Room({ storage }: { readonly storage: StorageOut }) {
  return (
    <div>
      <Text size="sm" c="dimmed">
        {roomText(storage)}
      </Text>
      {storage.largest.length > 0 && (
        <Disclosure label="Largest items">
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

/** The words of the form: which files and objects the roots allow. */
export function registerWords(roots: readonly string[]) {
  const folders = roots.filter((root) => !isPrefix(root)).join(" or ");
  const prefixes = roots.filter(isPrefix).join(" or ");
  const placeholder = `${roots[0] ?? ""}/trace.csv.zst`;
  if (prefixes === "") {
    return {
      label: "Or use a file on the server",
      description: `Its path, in ${folders}. It is read there and not copied.`,
      placeholder,
    };
  }
  return folders === ""
    ? {
        label: "Or use an object of a store",
        description: `Its address, below ${prefixes}. It is fetched to the server.`,
        placeholder,
      }
    : {
        label: "Or use a file on the server or an object of a store",
        description: `The path of a file, in ${folders}: it is read there and not copied. Or the address of an object, below ${prefixes}: it is fetched to the server.`,
        placeholder,
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
          title={
            isPrefix(path)
              ? "The object could not be fetched"
              : "The file could not be used"
          }
        />
      )}
    </form>
  );
}
