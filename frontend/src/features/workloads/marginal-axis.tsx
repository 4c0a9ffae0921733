import { Anchor, SegmentedControl } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { skipToken, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { type BreakEvenIn, breakEvenQuery } from "@/api/dram-or-flash";
import { ProblemAlert } from "@/components/problem-alert";
import { type AnalysisState, evaluationInput } from "@/questions/point";
import { useAnalysis } from "@/questions/use-analysis";
import { unbroken } from "@/units/quantity";
import type { Curve } from "./curve-findings";
import {
  marginalBasis,
  marginalSentence,
  type Paying,
  type PayingSize,
} from "./marginal";

type Over = "off" | "flash" | "disk";

export interface Marginal {
  readonly over: Over;
  readonly setOver: (over: Over) => void;
  /** Hardware and prices of *DRAM or flash*, of which the break-even is. */
  readonly state: AnalysisState | null;
  /** The interval over the sizes; `null` until it is known, or where it cannot be. */
  readonly paying: Paying | null;
  /** The device chosen for the line; `null` where no line is drawn. */
  readonly limit: PayingSize | null;
  /** Why there is no interval; empty while it is asked for, and where there is one. */
  readonly reason: string;
  readonly error: unknown;
}

/** Below it the second axis leaves too little room for the curve, until it is requested. */
const ROOM_FOR_TWO_AXES = "(min-width: 720px)";

/** Points of curves that are not drawn here: as few as the question allows. */
const FEW_POINTS = 81;

/** The marginal interval on the curve of a workload, as *DRAM or flash* answers it. */
export function useMarginal(workloadId: string, curve: Curve): Marginal {
  const { state } = useAnalysis();
  const hasRoom = useMediaQuery(ROOM_FOR_TWO_AXES) ?? true;
  const [chosen, setOver] = useState<Over | null>(null);
  const over = chosen ?? (hasRoom ? "flash" : "off");
  const body = useMemo(
    () => (state === null ? null : questionOf(state, workloadId, curve)),
    [state, workloadId, curve],
  );
  const query = breakEvenQuery(body ?? NOTHING);
  const found = useQuery(body === null ? { ...query, queryFn: skipToken } : query);
  // What an earlier start or workload was answered must not be drawn over another curve.
  const answer = found.isPlaceholderData ? undefined : found.data;
  const paying = answer?.paying ?? null;
  const device = over === "disk" ? state?.disk_device : state?.flash_device;
  const limit = paying?.sizes.find(({ lower }) => lower === device) ?? null;
  return {
    over,
    setOver,
    state,
    paying,
    limit: over === "off" ? null : limit,
    reason: answer?.paying_reason ?? "",
    error: found.error,
  };
}

const NOTHING = {} as BreakEvenIn;

/** Hits alone, and one size of RAM for all places of the slider: the interval has part in neither. */
function questionOf(
  state: AnalysisState,
  workloadId: string,
  curve: Curve,
): BreakEvenIn {
  const { flash_pages: _, ...point } = evaluationInput(state);
  return {
    ...point,
    workload_id: workloadId,
    ram_pages: curve.pages[0] ?? 1,
    start: curve.start ?? "steady",
    form: "plain",
    deltas: [1],
    points: FEW_POINTS,
  };
}

/** Shows and hides the axis, and chooses the device that misses are read from. */
export function MarginalSwitch({ marginal }: { readonly marginal: Marginal }) {
  if (marginal.paying === null) {
    return null;
  }
  return (
    <SegmentedControl
      size="xs"
      aria-label="Break-even line"
      value={marginal.over}
      onChange={(value) =>
        marginal.setOver(value === "flash" || value === "disk" ? value : "off")
      }
      transitionDuration={0}
      data={[
        { value: "off", label: "No break-even" },
        { value: "flash", label: "Over flash" },
        { value: "disk", label: "Over disk" },
      ]}
    />
  );
}

interface TextProps {
  readonly curve: Curve;
  readonly marginal: Marginal;
  readonly cursor: number;
}

/** Up to which size RAM pays, or why that is unknown; and where to change what it rests on. */
export function MarginalText({ curve, marginal, cursor }: TextProps) {
  const { state, paying, limit, reason, error } = marginal;
  if (error !== null) {
    return (
      <ProblemAlert error={error} title="The break-even line could not be computed" />
    );
  }
  if (state === null || (reason === "" && limit === null)) {
    return null;
  }
  const link = (
    <Anchor
      inherit
      underline="always"
      renderRoot={(rest) => (
        <Link
          to="/dram-or-flash"
          search={{ ...state, ram_pages: cursor, start: curve.start ?? state.start }}
          {...rest}
        />
      )}
    >
      Open in DRAM or flash
    </Anchor>
  );
  return paying === null || limit === null ? (
    <div>
      RAM that pays for itself could not be computed. {reason} {link}
    </div>
  ) : (
    <>
      <div>{unbroken(marginalSentence(curve, paying, limit))}</div>
      <div>
        {unbroken(marginalBasis(paying))} {link}
      </div>
    </>
  );
}

/** How the axis at the right is computed. */
export function MarginalMethod({ paying }: { readonly paying: Paying }) {
  return (
    <p>
      The misses of all sizes are joined by their {paying.estimator}. Over a segment,
      one page saves an access once in D (pages gained) / (misses saved), D being the
      duration. Up to the end of the last segment whose interval is at most the
      break-even interval of RAM over the device, a page costs less in RAM than the
      accesses that it saves cost on the device: this is the size of least cost. Valid
      for: {paying.validity}.
    </p>
  );
}
