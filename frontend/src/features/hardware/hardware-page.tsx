import { Button, Skeleton } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { type DeviceOut, devicesQuery, priceBooksQuery } from "@/api/catalog";
import { Page } from "@/components/page";
import { ProblemAlert } from "@/components/problem-alert";
import type { TierSearch } from "@/questions/tier-cost";
import { usePatch } from "@/questions/use-analysis";
import { AccessCost } from "./access-cost";
import { DeviceChart } from "./device-chart";
import { DeviceEditor } from "./device-editor";
import { DeviceTable } from "./device-table";
import { FioImport } from "./fio-import";
import { MeasuredDevices } from "./latency-chart";
import { MeasureDevice } from "./measure-device";
import { PageSize } from "./page-size";
import { PriceBooks } from "./price-books";
import { Purchasable } from "./purchasable";
import { TierCost } from "./tier-cost";
import { USUAL } from "./tier-findings";

export function HardwarePage() {
  const search = useSearch({ strict: false }) as TierSearch;
  const patch = usePatch<TierSearch>();
  const pageBytes = search.tier_page ?? USUAL.tier_page;
  const devices = useQuery({
    ...devicesQuery(pageBytes),
    placeholderData: keepPreviousData,
  });
  const books = useQuery(priceBooksQuery());
  const [ticked, setTicked] = useState<readonly string[]>([]);
  const [editing, setEditing] = useState<DeviceOut | "new" | null>(null);
  const [importing, setImporting] = useState(false);
  const [measuring, setMeasuring] = useState(false);
  const error = devices.error ?? books.error;
  return (
    <Page
      title="Hardware"
      lead="Devices, servers, volumes, parts and prices, every figure with its unit, source and date. What a source does not state is shown as missing, never filled in."
      actions={
        <>
          <PageSize value={pageBytes} onChange={(size) => patch({ tier_page: size })} />
          <Button variant="default" onClick={() => setMeasuring(true)}>
            Measure a device
          </Button>
          <Button variant="default" onClick={() => setImporting(true)}>
            Import from fio
          </Button>
          <Button onClick={() => setEditing("new")}>Add a device</Button>
        </>
      }
    >
      {error !== null && (
        <ProblemAlert
          error={error}
          title="The catalogue could not be loaded"
          onRetry={() => {
            void devices.refetch();
            void books.refetch();
          }}
        />
      )}
      {devices.data === undefined || books.data === undefined ? (
        error === null && (
          <>
            <Skeleton height={520} animate={false} />
            <Skeleton height={520} animate={false} />
          </>
        )
      ) : (
        <>
          <DeviceChart
            devices={devices.data}
            books={books.data}
            ticked={ticked}
            pageBytes={pageBytes}
          />
          <MeasuredDevices devices={devices.data} ticked={ticked} />
          <DeviceTable
            devices={devices.data}
            ticked={ticked}
            onTick={setTicked}
            onEdit={setEditing}
            pageBytes={pageBytes}
          />
          <AccessCost
            devices={devices.data}
            books={books.data}
            ticked={ticked}
            pageBytes={pageBytes}
          />
          <TierCost devices={devices.data} books={books.data} ticked={ticked} />
          <PriceBooks books={books.data} devices={devices.data} />
          <Purchasable />
        </>
      )}
      {measuring && (
        <MeasureDevice
          pageBytes={pageBytes}
          onImport={() => {
            setMeasuring(false);
            setImporting(true);
          }}
          onClose={() => setMeasuring(false)}
        />
      )}
      {importing && <FioImport onClose={() => setImporting(false)} />}
      {editing !== null && (
        <DeviceEditor
          device={editing === "new" ? null : editing}
          onClose={() => setEditing(null)}
        />
      )}
    </Page>
  );
}
