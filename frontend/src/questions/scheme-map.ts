/** What the page of scheme maps adds to the address. */
import { AxisIn, MapCheckIn, SchemeMapIn } from "@/api/gen/bounds.gen";
import {
  bounded,
  metadataName,
  namedFields,
  oneOf,
  type Refused,
  readAddress,
  share,
  whole,
} from "./address";

export const AXIS_NAMES = AxisIn.axis.values;
export type AxisName = (typeof AXIS_NAMES)[number];

export interface MapSearch {
  x?: AxisName | undefined;
  y?: AxisName | undefined;
  x_low?: number | undefined;
  x_high?: number | undefined;
  y_low?: number | undefined;
  y_high?: number | undefined;
  /** Dirty share of all victims; absent: measured. */
  dirty_share?: number | undefined;
  /** F_W / F_R; absent: that of the flash device. */
  asymmetry?: number | undefined;
  /** Preset whose memory is charged to RAM. */
  metadata?: string | undefined;
  /** The same in addresses of earlier versions. */
  flash_metadata?: undefined;
  /** What the winner is best in: I/O time unless said. */
  by?: "price" | undefined;
  /** Points across and upwards that are replayed. */
  x_points?: number | undefined;
  y_points?: number | undefined;
}

const FIELDS = namedFields(
  {
    x: oneOf(AXIS_NAMES),
    y: oneOf(AXIS_NAMES),
    x_low: bounded(AxisIn.low),
    x_high: bounded(AxisIn.high),
    y_low: bounded(AxisIn.low),
    y_high: bounded(AxisIn.high),
    dirty_share: share,
    asymmetry: bounded(SchemeMapIn.asymmetry),
    metadata: metadataName,
    by: oneOf(["price"]),
    x_points: whole(MapCheckIn.x_points, "points"),
    y_points: whole(MapCheckIn.y_points, "points"),
  },
  ["flash_metadata"],
);

/** Reads the page's own parameters. */
export const parseMapSearch = (raw: Record<string, unknown>): MapSearch & Refused => ({
  ...readAddress(FIELDS, {
    ...raw,
    metadata: raw["metadata"] ?? raw["flash_metadata"],
  }),
  flash_metadata: undefined,
});
