import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { devicesQuery, priceBooksQuery } from "@/api/catalog";
import { workloadsQuery } from "@/api/workloads";
import { fillState } from "./defaults";
import type { AnalysisSearch, AnalysisState } from "./point";

export interface Analysis {
  /** The state, usual values filled in; `null` until it can be known. */
  readonly state: AnalysisState | null;
  readonly search: AnalysisSearch;
  readonly isPending: boolean;
  readonly error: unknown;
  /** Changes parts of the state in the address, in place. */
  readonly patch: (change: AnalysisSearch) => void;
}

/** The analysis state of the present address. */
export function useAnalysis(): Analysis {
  const search = useSearch({ strict: false }) as AnalysisSearch;
  // Read, not listened to: a page that completes its address would be drawn anew for each place on the way.
  const { pathname } = window.location;
  const workloads = useQuery(workloadsQuery());
  const devices = useQuery(devicesQuery());
  const books = useQuery(priceBooksQuery());
  const state = useMemo(() => {
    if (
      workloads.data === undefined ||
      devices.data === undefined ||
      books.data === undefined
    ) {
      return null;
    }
    return fillState(search, {
      workloads: workloads.data,
      devices: devices.data,
      priceBooks: books.data,
      pathname,
    });
  }, [search, workloads.data, devices.data, books.data, pathname]);
  const patch = usePatch<AnalysisSearch>();
  return {
    state,
    search,
    isPending: workloads.isPending || devices.isPending || books.isPending,
    error: workloads.error ?? devices.error ?? books.error,
    patch,
  };
}

/** Changes parts of what the address says, in place. */
export function usePatch<Change extends object>(): (change: Change) => void {
  const navigate = useNavigate();
  return useCallback(
    (change: Change) => {
      void navigate({
        to: ".",
        search: (previous) => ({ ...previous, ...change }),
        replace: true,
        resetScroll: false,
      });
    },
    [navigate],
  );
}
