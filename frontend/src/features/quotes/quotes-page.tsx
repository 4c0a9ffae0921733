import { Anchor, Button, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { type DragEvent, useRef, useState } from "react";
import { type DeviceOut, devicesFor, devicesQuery } from "@/api/catalog";
import {
  type FileImportOut,
  type HaveIn,
  type ImportKind,
  importQuery,
  type QuoteRankingIn,
  rankingQuery,
  type StatementsIn,
} from "@/api/quotes";
import { isActiveStatus } from "@/api/runs";
import {
  mayLackWrites,
  replaysOf,
  type SummaryOut,
  workloadsQuery,
} from "@/api/workloads";
import { CautionNotes } from "@/components/caution-notes";
import { DirtyShare } from "@/components/dirty-share";
import { EmptyState } from "@/components/empty-state";
import { NumberField, OptionalNumberField } from "@/components/number-field";
import { Page } from "@/components/page";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { RunProgress } from "@/components/run-progress";
import { useReplay } from "@/components/use-replay";
import type { AnalysisSearch } from "@/questions/point";
import { useAnalysis, usePatch } from "@/questions/use-analysis";
import { formatBytes, bytes as inBytes } from "@/units/quantity";
import { ColumnsOf, type TableColumns } from "./columns-of";
import { ImportView } from "./import-view";
import { type MappedLine, useKeptMapping } from "./kept-mapping";
import { MappingPanel } from "./mapping-panel";
import { PaperPanel } from "./paper-panel";
import { PriceBookOf } from "./price-book-of";
import classes from "./quotes.module.css";
import { RankingView } from "./ranking-view";

const LEAD =
  "A cart or quotes, a price list and an inventory, as other tools write them: what is understood, which quote to take, and the paper that a committee signs.";
const GIB = 2 ** 30;
const MOST_USD = 1e9;
const MOST_GIB = 1e9;
const MOST_COUNT = 100_000;
const MOST_MONTHS = 120;
/** What a file may take in a request of 1 MiB, less what else stands in it. [bytes] */
const MOST_BYTES = 950_000;

const KINDS: Readonly<Record<ImportKind, string>> = {
  quotes: "Quotes or a cart",
  prices: "Price list",
  inventory: "Inventory",
};
const KIND_NAMES = Object.keys(KINDS) as ImportKind[];

interface Given {
  readonly kind: ImportKind;
  readonly name: string;
  readonly text: string;
  readonly encoding: "text" | "base64";
  /** Of a table of another system. */
  readonly columns?: TableColumns["columns"];
  readonly values?: TableColumns["values"];
}

/** Fields of a table of each kind, as one writes them. */
const FIELDS: Readonly<Record<ImportKind, string>> = {
  quotes: "part_number=Article\nprice=Net price\nquantity=Quantity",
  prices: "sku=Article\nprice=List price\ndate=Valid from",
  inventory: "host=Name\nram=RAM\ndrive=Disk model\ndrive_size=Disk size",
};

/** What a file seems to hold, which the user can change: an inventory and price lists say so at their beginning. */
export function kindOf(text: string): ImportKind {
  const head = text.slice(0, 4000);
  const columns = new Set(
    (head.split("\n", 1)[0] ?? "")
      .split(/[,;\t]/)
      .map((name) => name.trim().replaceAll('"', "").toLowerCase()),
  );
  if (columns.has("price") && columns.has("date") && !columns.has("quote_id")) {
    return "prices";
  }
  if (columns.has("device") && (columns.has("module type") || columns.has("part id"))) {
    return "inventory";
  }
  const holds = ["ram", "module", "drive"].some((name) => columns.has(name));
  if (columns.has("host") && holds) {
    return "inventory";
  }
  if (head.startsWith(ARCHIVE)) {
    return "inventory";
  }
  if (
    /"blockdevices"|Handle 0x|"Devices"\s*:|tierwright-host|"@odata\.|\/api\/dcim\//.test(
      head,
    )
  ) {
    return "inventory";
  }
  return head.startsWith(PARQUET) ||
    /"BillingCurrency"|"offerCode"|"skus"\s*:|"formatVersion"\s*:|^"?FormatVersion|^[^\n]*\bChargeCategory\b/m.test(
      head,
    )
    ? "prices"
    : "quotes";
}

const ARCHIVE = "PK\u0003\u0004";
const PARQUET = "PAR1";

/** A file as a request carries it: its text, or its bytes where they are no text. */
export async function given(file: File): Promise<Given> {
  const text = await file.text();
  const kind = kindOf(text);
  const name = stemOf(file.name);
  if (!(text.startsWith(ARCHIVE) || text.startsWith(PARQUET))) {
    return { kind, name, text, encoding: "text" };
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  let binary = "";
  for (let at = 0; at < bytes.length; at += CHUNK) {
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  }
  return { kind, name, text: btoa(binary), encoding: "base64" };
}

const CHUNK = 0x8000;

/** What a file takes in a request, as JSON: Base64 adds a third, text its escaped characters. [bytes] */
const sentBytes = ({ text }: Given): number => new Blob([JSON.stringify(text)]).size;

/** The files that a request can carry, and a sentence about the first that is too large for one. */
export async function taken(
  chosen: readonly File[],
): Promise<{ readonly files: readonly Given[]; readonly refused: string }> {
  // What is larger before it is written as JSON is not read at all.
  const read = await Promise.all(
    chosen
      .filter(({ size }) => size > 0)
      .map(async (file) => {
        const sent = file.size > MOST_BYTES ? null : await given(file);
        const fits = sent !== null && sentBytes(sent) <= MOST_BYTES;
        return fits ? { file, sent } : { file, sent: null };
      }),
  );
  const large = read.find(({ sent }) => sent === null)?.file;
  return {
    files: read.flatMap(({ sent }) => (sent === null ? [] : [sent])),
    refused:
      large === undefined
        ? ""
        : `${large.name} (${formatBytes(inBytes(large.size))}) takes more than ${formatBytes(inBytes(MOST_BYTES))} as it is sent. Read it with tierwright import.`,
  };
}

const stemOf = (name: string): string =>
  name.replace(/\.[a-z]+$/i, "").slice(0, 100) || "file";

export function QuotesPage() {
  const { state, isPending, error } = useAnalysis();
  const workloads = useQuery(workloadsQuery()).data ?? [];
  const ready = workloads.filter(({ summary }) => summary !== null);
  const [chosen, setChosen] = useState<string | null>(null);
  const workload = ready.find(({ id }) => id === (chosen ?? state?.workload));
  const [files, setFiles] = useState<readonly Given[]>([]);
  const [stated, setStated] = useState<StatementsIn>({});
  const { lines, keep, isReady, notLoaded, notKept, load } = useKeptMapping();
  const imports = useQueries({
    queries: files.map((file) => ({
      ...importQuery({ ...file, mapping: [...lines] }),
      enabled: isReady,
      // While a part number is stated, what the file was read as stays.
      placeholderData: keepPreviousData,
    })),
  });
  const found = imports.map(({ data }) => data);
  const unmapped = found.flatMap((each) => each?.unmapped ?? []);
  const distinct = [
    ...new Map(unmapped.map((each) => [JSON.stringify(each.by), each])).values(),
  ];
  const inventory = found.find((_, at) => files[at]?.kind === "inventory");
  return (
    <Page title="Quotes" lead={LEAD}>
      {error !== null && (
        <ProblemAlert error={error} title="The inputs could not be loaded" />
      )}
      {notLoaded !== null && (
        <ProblemAlert
          error={notLoaded}
          title="The known part numbers could not be loaded"
          onRetry={load}
        />
      )}
      {notKept !== null && (
        <ProblemAlert
          error={notKept}
          title="What the part numbers are could not be kept"
        />
      )}
      <Files
        files={files}
        mapping={lines}
        add={(more) => setFiles((now) => [...now, ...more])}
        imports={imports.map(({ data, error: refused }) => ({ data, refused }))}
        change={(at, kind) =>
          setFiles(
            files.map((file, place) => (place === at ? { ...file, kind } : file)),
          )
        }
        read={(at, stated) =>
          setFiles(
            files.map((file, place) => (place === at ? { ...file, ...stated } : file)),
          )
        }
        remove={(at) => setFiles(files.filter((_, place) => place !== at))}
      />
      {files.length > 0 && (
        <MappingPanel
          unmapped={distinct}
          lines={lines}
          keep={keep}
          isReady={isReady}
          isFailed={notLoaded !== null}
          areRead={found.every((each) => each !== undefined)}
        />
      )}
      {!isPending && workload === undefined && (
        <Panel>
          <EmptyState title="No workload yet">
            Which quote to take follows from a workload:{" "}
            <Anchor component={Link} to="/workloads">
              import one
            </Anchor>
            .
          </EmptyState>
        </Panel>
      )}
      {workload !== undefined && workload.summary !== null && (
        <Asked
          workloads={ready.map(({ id, name }) => ({ value: id, label: name }))}
          workload={workload.id}
          summary={workload.summary}
          choose={setChosen}
          start={state?.start ?? "steady"}
          disk={state?.disk_device ?? ""}
          inventory={inventory}
          files={files.filter(
            ({ kind, encoding }) => kind === "quotes" && encoding === "text",
          )}
          mapping={[...lines]}
          isReady={isReady}
          canReplay={replaysOf(workload.summary) !== null}
          stated={stated}
          put={(change) => setStated((now) => ({ ...now, ...change }))}
        />
      )}
    </Page>
  );
}

function Files(props: {
  readonly mapping: readonly MappedLine[];
  readonly files: readonly Given[];
  readonly imports: readonly {
    readonly data: FileImportOut | undefined;
    readonly refused: unknown;
  }[];
  readonly add: (files: readonly Given[]) => void;
  readonly change: (at: number, kind: ImportKind) => void;
  readonly read: (at: number, stated: TableColumns) => void;
  readonly remove: (at: number) => void;
}) {
  const { files, imports } = props;
  const picker = useRef<HTMLInputElement>(null);
  const [refused, setRefused] = useState("");
  const take = async (list: FileList | null) => {
    const { files: read, refused: tooLarge } = await taken([...(list ?? [])]);
    setRefused(tooLarge);
    props.add(read);
  };
  return (
    <Panel
      title="Files"
      subtitle="Our own CSV or JSON, tables of other systems, carts as OCI or cXML, price lists of AWS, Azure and Google, outputs of lsblk, dmidecode and nvme, saved answers of Redfish. They are read on this machine; of a price list a price book can be kept."
      label="Files"
      actions={
        <Button size="xs" onClick={() => picker.current?.click()}>
          Choose files
        </Button>
      }
    >
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        aria-label="Files of quotes, prices and inventories"
        onChange={(event) => {
          const chosen = event.currentTarget.files;
          void take(chosen).then(() => {
            if (picker.current !== null) {
              picker.current.value = "";
            }
          });
        }}
      />
      <Stack
        gap="md"
        onDragOver={(event: DragEvent) => event.preventDefault()}
        onDrop={(event: DragEvent) => {
          event.preventDefault();
          void take(event.dataTransfer.files);
        }}
      >
        {refused !== "" && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {refused}
          </Text>
        )}
        {files.length === 0 && (
          <Text size="sm" c="dimmed">
            Drop files here, or choose them. Nothing is guessed: a row that can be read
            in two ways is left out with its reason.
          </Text>
        )}
        {files.map((file, at) => (
          <section
            // biome-ignore lint/suspicious/noArrayIndexKey: the same file may be given twice
            key={`${file.name} ${at}`}
            aria-label={file.name}
            className={classes["file"]}
          >
            <Group justify="space-between" align="flex-end" gap="sm">
              <Text fw={600}>{file.name}</Text>
              <Group gap="xs" align="flex-end">
                <Select
                  aria-label={`What ${file.name} is`}
                  size="xs"
                  allowDeselect={false}
                  data={KIND_NAMES.map((kind) => ({ value: kind, label: KINDS[kind] }))}
                  value={file.kind}
                  onChange={(value) => {
                    const kind = KIND_NAMES.find((each) => each === value);
                    if (kind !== undefined) {
                      props.change(at, kind);
                    }
                  }}
                />
                <Button
                  size="xs"
                  variant="default"
                  aria-label={`Remove ${file.name}`}
                  onClick={() => props.remove(at)}
                >
                  Remove
                </Button>
              </Group>
            </Group>
            {imports[at]?.refused != null && (
              <ProblemAlert
                error={imports[at].refused}
                title={`${file.name} could not be read`}
              />
            )}
            {imports[at]?.data !== undefined && (
              <ImportView name={file.name} found={imports[at].data} />
            )}
            {(file.encoding === "text" || file.kind === "inventory") && (
              <ColumnsOf
                name={file.name}
                example={FIELDS[file.kind]}
                format={imports[at]?.data?.format ?? ""}
                onRead={(stated) => props.read(at, stated)}
              />
            )}
            {file.kind === "prices" && imports[at]?.data !== undefined && (
              <PriceBookOf
                name={file.name}
                text={file.text}
                encoding={file.encoding}
                columns={file.columns ?? {}}
                values={file.values ?? {}}
                mapping={props.mapping}
              />
            )}
          </section>
        ))}
      </Stack>
    </Panel>
  );
}

interface Today {
  readonly ram_gib?: number | undefined;
  readonly machines: number;
  readonly disk: string;
  readonly disks: number;
  readonly usd?: number | undefined;
}

/** What there is, as an inventory states it; without one only its device is proposed. */
const todayOf = (inventory: FileImportOut | undefined, disk: string): Today => {
  const have = inventory?.have as
    | { machines: number; ram_bytes: number; disk_device_id: string; disks: number }
    | null
    | undefined;
  return have == null
    ? { machines: 1, disk, disks: 1 }
    : {
        ram_gib: have.ram_bytes / GIB,
        machines: have.machines,
        disk: have.disk_device_id,
        disks: have.disks,
      };
};

/** What there is today, which the user can change; a new inventory states it again. */
function useToday(inventory: FileImportOut | undefined, disk: string) {
  const [today, setToday] = useState(() => todayOf(inventory, disk));
  const stated = `${inventory?.id ?? ""} ${inventory?.have === null}`;
  const [shown, setShown] = useState(stated);
  if (inventory !== undefined && stated !== shown) {
    setShown(stated);
    setToday(todayOf(inventory, disk));
  }
  return [today, setToday] as const;
}

const haveOf = (today: Today): HaveIn | null =>
  today.ram_gib === undefined
    ? null
    : {
        machines: today.machines,
        ram_bytes: Math.round(today.ram_gib * GIB),
        disk_device_id: today.disk,
        disks: today.disks,
        ...(today.usd === undefined ? {} : { usd_per_month: today.usd }),
      };

interface Limits {
  readonly usd_per_month?: number | undefined;
  readonly purchase_usd?: number | undefined;
}

function Asked(props: {
  readonly workloads: readonly { readonly value: string; readonly label: string }[];
  readonly workload: string;
  readonly summary: SummaryOut;
  readonly choose: (id: string) => void;
  readonly start: "steady" | "cold";
  readonly disk: string;
  readonly inventory: FileImportOut | undefined;
  readonly files: readonly Given[];
  readonly mapping: unknown[];
  /** Whether the mapping is that of the server, which no quote is ranked without. */
  readonly isReady: boolean;
  readonly canReplay: boolean;
  readonly stated: StatementsIn;
  readonly put: (change: StatementsIn) => void;
}) {
  const { inventory, files, summary } = props;
  const { dirty_share } = useSearch({ strict: false }) as AnalysisSearch;
  const patch = usePatch<AnalysisSearch>();
  const given = mayLackWrites(summary);
  const [today, setToday] = useToday(inventory, props.disk);
  const [limits, setLimits] = useState<Limits>({});
  const [months, setMonths] = useState(36);
  const [day, setDay] = useState(() => new Date().toISOString().slice(0, 10));
  const [rate, setRate] = useState("");
  const rates = ratesOf(rate, day);
  const have = haveOf(today);
  const question: QuoteRankingIn = {
    workload_id: props.workload,
    start: props.start,
    files: files.map(({ name, text, columns = {}, values = {} }) => ({
      name,
      text,
      columns,
      values,
    })),
    mapping: props.mapping,
    constraints: Object.fromEntries(
      Object.entries(limits).filter(([, value]) => value !== undefined),
    ),
    horizon_months: months,
    day,
    ...(have === null ? {} : { have }),
    ...(rates === null ? {} : { rates }),
    ...(given ? { dirty_share: dirty_share ?? null } : {}),
  };
  const isAsked = files.length > 0;
  const devices = useQuery(devicesQuery()).data ?? [];
  const put = (change: Partial<Today>) => setToday({ ...today, ...change });
  return (
    <>
      <Panel
        title="What they are for"
        subtitle={
          inventory === undefined || inventory.have !== null
            ? "The workload, what there is today, and limits."
            : `Of the inventory: ${inventory.have_reason}.`
        }
        label="What they are for"
      >
        <div className={classes["fields"]}>
          <Select
            label="Workload"
            description="One of production has its data and load."
            inputWrapperOrder={["label", "input", "description", "error"]}
            allowDeselect={false}
            data={[...props.workloads]}
            value={props.workload}
            onChange={(id) => id !== null && props.choose(id)}
          />
          <OptionalNumberField
            label="RAM today"
            unit="GiB"
            description="For pages, without what the system itself takes, of all machines; empty: doing nothing is not ranked."
            placeholder="not stated"
            min={0.001}
            max={MOST_GIB}
            value={today.ram_gib}
            onChange={(ram_gib) => put({ ram_gib })}
          />
          <NumberField
            label="Machines today"
            unit=""
            min={1}
            max={MOST_COUNT}
            whole
            value={today.machines}
            onChange={(machines) => put({ machines })}
          />
          <Select
            label="Device of the data"
            searchable
            allowDeselect={false}
            data={namedDisks(devices, today.disk)}
            value={today.disk}
            onChange={(disk) => disk !== null && put({ disk })}
          />
          <NumberField
            label="Devices today"
            unit=""
            min={1}
            max={MOST_COUNT}
            whole
            value={today.disks}
            onChange={(disks) => put({ disks })}
          />
          <OptionalNumberField
            label="Cost per month today"
            unit="USD"
            description="What doing nothing costs."
            placeholder="not stated"
            min={0}
            max={MOST_USD}
            value={today.usd}
            onChange={(usd) => put({ usd })}
          />
          <OptionalNumberField
            label="Budget per month"
            unit="USD"
            placeholder="no limit"
            min={0}
            max={MOST_USD}
            value={limits.usd_per_month}
            onChange={(usd_per_month) => setLimits({ ...limits, usd_per_month })}
          />
          <OptionalNumberField
            label="Budget of the purchase"
            unit="USD"
            placeholder="no limit"
            min={0}
            max={MOST_USD}
            value={limits.purchase_usd}
            onChange={(purchase_usd) => setLimits({ ...limits, purchase_usd })}
          />
          <NumberField
            label="Purchase spread over"
            unit="months"
            min={1}
            max={MOST_MONTHS}
            whole
            value={months}
            onChange={setMonths}
          />
          <TextInput
            type="date"
            label="Day of the decision"
            description="Quotes that end before it have a caution."
            inputWrapperOrder={["label", "input", "description", "error"]}
            value={day}
            onChange={(event) => {
              const typed = event.currentTarget.value;
              if (/^\d{4}-\d{2}-\d{2}$/.test(typed)) {
                setDay(typed);
              }
            }}
          />
          <TextInput
            label="Exchange rates"
            description="Of one US dollar at the day of the decision, such as EUR=0.88, GBP=0.75."
            inputWrapperOrder={["label", "input", "description", "error"]}
            value={rate}
            error={
              rates === null && rate.trim() !== ""
                ? `"${rate}" is not valid; enter rates such as EUR=0.88`
                : undefined
            }
            onChange={(event) => setRate(event.currentTarget.value)}
          />
        </div>
      </Panel>
      {given && (
        <DirtyShare
          stated={dirty_share}
          summary={summary}
          onChange={(share) => patch({ dirty_share: share })}
        />
      )}
      {!isAsked && (
        <Panel>
          <EmptyState title="No quotes yet">
            Choose a file of quotes or a cart above to rank them.
          </EmptyState>
        </Panel>
      )}
      {isAsked && props.isReady && (
        <Ranked
          question={question}
          canReplay={props.canReplay}
          stated={props.stated}
          put={props.put}
        />
      )}
    </>
  );
}

const rankingText = (isBelow: boolean): string =>
  isBelow
    ? "The quotes are being ranked again. The ranking below is of the inputs before the last change."
    : "The quotes are being ranked.";

/** The last answer for a subject, while the next one is computed; that of another subject is forgotten. */
export function useLastOf<Answer>(
  subject: string,
  answer: Answer | undefined,
): Answer | undefined {
  const [last, setLast] = useState({ subject, answer });
  if (subject !== last.subject || (answer !== undefined && answer !== last.answer)) {
    setLast({ subject, answer });
  }
  return subject === last.subject ? (answer ?? last.answer) : answer;
}

/** The ranking, its run where there are many quotes, and the paper that is made of it. */
function Ranked(props: {
  readonly question: QuoteRankingIn;
  readonly canReplay: boolean;
  readonly stated: StatementsIn;
  readonly put: (change: StatementsIn) => void;
}) {
  const { question } = props;
  const { checked, error, run, again, isRunning } = useReplay(
    rankingQuery(question),
    true,
  );
  // While the quotes are ranked again the last ranking stays: what is typed into the paper keeps its place.
  const last = useLastOf(question.workload_id, checked);
  const isWaiting = isRunning && run === undefined;
  const shown = checked ?? (isWaiting ? last : undefined);
  return (
    <>
      {error !== null && (
        <ProblemAlert error={error} title="The quotes could not be ranked" />
      )}
      {run !== undefined && (
        <Panel>
          <RunProgress run={run} />
          {!isActiveStatus(run.status) && (
            <Group>
              <Button variant="default" onClick={again}>
                Rank again
              </Button>
            </Group>
          )}
        </Panel>
      )}
      {/* Its line is kept free, so that nothing moves while a figure is typed. */}
      <Text size="sm" role="status" mih="1.55em">
        {checked === undefined && isWaiting && rankingText(shown !== undefined)}
      </Text>
      {shown !== undefined && (
        <div aria-busy={checked === undefined}>
          <Stack gap="lg">
            <CautionNotes of="the ranking" cautions={shown.cautions} />
            <RankingView found={shown} />
            {shown.ranked.length > 0 && (
              <PaperPanel
                question={question}
                found={shown}
                isCurrent={checked !== undefined}
                canReplay={props.canReplay}
                stated={props.stated}
                put={props.put}
              />
            )}
          </Stack>
        </div>
      )}
    </>
  );
}

/** Rates as the page states them; null where they cannot be read, or none is stated. */
export function ratesOf(
  text: string,
  day: string,
): { currency: string; per_usd: string; date: string; source: string }[] | null {
  const parts = text
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
  const found = parts.map((each) =>
    /^([A-Z]{3})\s*=\s*(\d+(?:\.\d+)?)$/.exec(each.toUpperCase()),
  );
  return parts.length === 0 || found.some((each) => each === null)
    ? null
    : found.map((each) => ({
        currency: each?.[1] ?? "",
        per_usd: each?.[2] ?? "",
        date: day,
        source: "stated by the user",
      }));
}

/** Devices that can hold the data, by their names; one that is no longer known by its id. */
function namedDisks(devices: readonly DeviceOut[], chosen: string) {
  const known = devicesFor(devices, "disk").map(({ id, name }) => ({
    value: id,
    label: name,
  }));
  return chosen === "" || known.some(({ value }) => value === chosen)
    ? known
    : [...known, { value: chosen, label: chosen }];
}
