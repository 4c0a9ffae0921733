import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams,
} from "@tanstack/react-router";
import { parseBesideSearch } from "@/features/advice/beside-address";
import { parseDocsSearch } from "@/features/api-docs/address";
import { parseFormulaSearch } from "@/features/formulas/address";
import { withoutStrangers } from "@/questions/address";
import { parseAdviceSearch } from "@/questions/advice";
import { parseBillSearch } from "@/questions/bill";
import { parseCompareSearch } from "@/questions/compare";
import { parseComposeSearch } from "@/questions/compose";
import { parseDollarSearch } from "@/questions/dram-or-flash";
import { parseFlashDeviceSearch } from "@/questions/flash-device";
import {
  type AnalysisSearch,
  parseAnalysisSearch,
  STATE_KEYS,
} from "@/questions/point";
import { parseSplitSearch } from "@/questions/pool-split";
import { parseMapSearch } from "@/questions/scheme-map";
import { parseSweepSearch } from "@/questions/simulate";
import { parseThroughputSearch } from "@/questions/throughput";
import { parseTierSearch } from "@/questions/tier-cost";
import { parseTransactionsSearch } from "@/questions/transactions";
import { parseWearSearch } from "@/questions/wear";
import { parseCacheSearch } from "@/questions/what-to-cache";
import { RouteError } from "./route-error";
import { NotFound, Shell } from "./shell";

/** What no page reads is named, so that a name with a slip in it asks no other question. */
const parseRootSearch = (raw: Record<string, unknown>): AnalysisSearch => {
  const known = withoutStrangers(raw);
  return { ...known, ...parseAnalysisSearch(known) };
};

/** The analysis state rides along in every address, so nothing chosen is ever lost. */
const rootRoute = createRootRoute({
  component: Shell,
  notFoundComponent: NotFound,
  errorComponent: RouteError,
  validateSearch: parseRootSearch,
  search: {
    middlewares: [
      retainSearchParams([
        ...STATE_KEYS,
        "check",
        "dirty_share",
        "metadata",
        "new_pages",
        "currency",
        "per_usd",
      ]),
    ],
  },
});

const start = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  component: lazyRouteComponent(
    () => import("@/features/start/start-page"),
    "StartPage",
  ),
});

const workloads = createRoute({
  getParentRoute: () => rootRoute,
  path: "/workloads",
  component: lazyRouteComponent(
    () => import("@/features/workloads/workloads-page"),
    "WorkloadsPage",
  ),
});

const compose = createRoute({
  getParentRoute: () => rootRoute,
  path: "/workloads/compose",
  validateSearch: parseComposeSearch,
  component: lazyRouteComponent(
    () => import("@/features/compose/compose-page"),
    "ComposePage",
  ),
});

const workload = createRoute({
  getParentRoute: () => rootRoute,
  path: "/workloads/$workloadId",
  component: lazyRouteComponent(
    () => import("@/features/workloads/workload-page"),
    "WorkloadPage",
  ),
});

const givenCurve = createRoute({
  getParentRoute: () => rootRoute,
  path: "/given-curve",
  component: lazyRouteComponent(
    () => import("@/features/given-curve/given-curve-page"),
    "GivenCurvePage",
  ),
});

const described = createRoute({
  getParentRoute: () => rootRoute,
  path: "/describe",
  component: lazyRouteComponent(
    () => import("@/features/described/described-page"),
    "DescribedPage",
  ),
});

const upload = createRoute({
  getParentRoute: () => rootRoute,
  path: "/uploads/$uploadId",
  component: lazyRouteComponent(
    () => import("@/features/uploads/preview-page"),
    "PreviewPage",
  ),
});

/** Two panels of one page; what either refuses is named. */
const parseHardwareSearch = (raw: Record<string, unknown>) => {
  const tier = parseTierSearch(raw);
  return { ...tier, ...parseBillSearch({ ...raw, refused: tier.refused }) };
};

const hardware = createRoute({
  getParentRoute: () => rootRoute,
  path: "/hardware",
  validateSearch: parseHardwareSearch,
  component: lazyRouteComponent(
    () => import("@/features/hardware/hardware-page"),
    "HardwarePage",
  ),
});

const advise = createRoute({
  getParentRoute: () => rootRoute,
  path: "/advise",
  validateSearch: parseAdviceSearch,
  component: lazyRouteComponent(
    () => import("@/features/advice/advice-page"),
    "AdvicePage",
  ),
});

const quotes = createRoute({
  getParentRoute: () => rootRoute,
  path: "/quotes",
  component: lazyRouteComponent(
    () => import("@/features/quotes/quotes-page"),
    "QuotesPage",
  ),
});

const compare = createRoute({
  getParentRoute: () => rootRoute,
  path: "/compare",
  validateSearch: parseCompareSearch,
  component: lazyRouteComponent(
    () => import("@/features/compare/compare-page"),
    "ComparePage",
  ),
});

const schemeMap = createRoute({
  getParentRoute: () => rootRoute,
  path: "/scheme-map",
  validateSearch: parseMapSearch,
  component: lazyRouteComponent(
    () => import("@/features/scheme-map/scheme-map-page"),
    "SchemeMapPage",
  ),
});

const poolSplit = createRoute({
  getParentRoute: () => rootRoute,
  path: "/pool-split",
  validateSearch: parseSplitSearch,
  component: lazyRouteComponent(
    () => import("@/features/pool-split/pool-split-page"),
    "PoolSplitPage",
  ),
});

const wear = createRoute({
  getParentRoute: () => rootRoute,
  path: "/wear",
  validateSearch: parseWearSearch,
  component: lazyRouteComponent(() => import("@/features/wear/wear-page"), "WearPage"),
});

const whatToCache = createRoute({
  getParentRoute: () => rootRoute,
  path: "/what-to-cache",
  validateSearch: parseCacheSearch,
  component: lazyRouteComponent(
    () => import("@/features/what-to-cache/what-to-cache-page"),
    "WhatToCachePage",
  ),
});

const dramOrFlash = createRoute({
  getParentRoute: () => rootRoute,
  path: "/dram-or-flash",
  validateSearch: parseDollarSearch,
  component: lazyRouteComponent(
    () => import("@/features/dram-or-flash/dram-or-flash-page"),
    "DramOrFlashPage",
  ),
});

const throughput = createRoute({
  getParentRoute: () => rootRoute,
  path: "/throughput",
  validateSearch: parseThroughputSearch,
  component: lazyRouteComponent(
    () => import("@/features/throughput/throughput-page"),
    "ThroughputPage",
  ),
});

const flashDevice = createRoute({
  getParentRoute: () => rootRoute,
  path: "/flash-device",
  validateSearch: parseFlashDeviceSearch,
  component: lazyRouteComponent(
    () => import("@/features/flash-device/flash-device-page"),
    "FlashDevicePage",
  ),
});

const transactions = createRoute({
  getParentRoute: () => rootRoute,
  path: "/transactions",
  validateSearch: parseTransactionsSearch,
  component: lazyRouteComponent(
    () => import("@/features/transactions/transactions-page"),
    "TransactionsPage",
  ),
});

const simulate = createRoute({
  getParentRoute: () => rootRoute,
  path: "/simulate",
  validateSearch: parseSweepSearch,
  component: lazyRouteComponent(
    () => import("@/features/simulate/simulate-page"),
    "SimulatePage",
  ),
});

const formulas = createRoute({
  getParentRoute: () => rootRoute,
  path: "/formulas",
  validateSearch: parseFormulaSearch,
  component: lazyRouteComponent(
    () => import("@/features/formulas/formulas-page"),
    "FormulasPage",
  ),
});

const apiDocs = createRoute({
  getParentRoute: () => rootRoute,
  path: "/docs",
  validateSearch: parseDocsSearch,
  component: lazyRouteComponent(
    () => import("@/features/api-docs/api-docs-page"),
    "ApiDocsPage",
  ),
});

const runs = createRoute({
  getParentRoute: () => rootRoute,
  path: "/runs",
  component: lazyRouteComponent(() => import("@/features/runs/runs-page"), "RunsPage"),
});

const scenarios = createRoute({
  getParentRoute: () => rootRoute,
  path: "/scenarios",
  component: lazyRouteComponent(
    () => import("@/features/scenarios/scenarios-page"),
    "ScenariosPage",
  ),
});

const advices = createRoute({
  getParentRoute: () => rootRoute,
  path: "/scenarios/recommendations",
  validateSearch: parseBesideSearch,
  component: lazyRouteComponent(
    () => import("@/features/advice/beside-page"),
    "BesidePage",
  ),
});

const sideBySide = createRoute({
  getParentRoute: () => rootRoute,
  path: "/scenarios/$one/beside/$other",
  component: lazyRouteComponent(
    () => import("@/features/scenarios/side-by-side-page"),
    "SideBySidePage",
  ),
});

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    start,
    workloads,
    compose,
    workload,
    upload,
    givenCurve,
    described,
    hardware,
    advise,
    quotes,
    compare,
    schemeMap,
    poolSplit,
    wear,
    flashDevice,
    transactions,
    dramOrFlash,
    whatToCache,
    throughput,
    simulate,
    formulas,
    apiDocs,
    runs,
    scenarios,
    advices,
    sideBySide,
  ]),
  defaultPreload: "intent",
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
