/** What the page "What to cache" adds to the address. */
import { WhatToCacheIn } from "@/api/gen/bounds.gen";
import {
  atLeast,
  bounded,
  namedFields,
  oneOf,
  type Refused,
  readAddress,
  text,
} from "./address";

export const CATEGORIES = WhatToCacheIn.categories.values;
export type Categories = (typeof CATEGORIES)[number];
export const FLASH_PAID = WhatToCacheIn.flash_paid.values;
export type FlashPaid = (typeof FLASH_PAID)[number];

export interface CacheSearch {
  /** What tells accesses apart; absent: relations. */
  categories?: Categories | undefined;
  /** Page accesses per second; absent: the workload's own. */
  rate?: number | undefined;
  /** Price of a billion reads from the store; absent: of the time of the disk. */
  read_usd?: number | undefined;
  /** Price of a terabyte written to flash; absent: of the rated writes of the device. */
  written_usd?: number | undefined;
  /** Price of a GiB of flash for a month; absent: rent of the device, or its price over the months. */
  gib_usd?: number | undefined;
  /** How flash is paid for; absent: all of it, whatever it holds. */
  paid?: FlashPaid | undefined;
  /** Flash cache that is replayed behind the choice; absent: that of the model. */
  cache?: string | undefined;
}

const MOST_NAME = 60;

const FIELDS = namedFields({
  categories: oneOf(CATEGORIES),
  rate: bounded(atLeast(WhatToCacheIn.accesses_per_s, 1e-6)),
  read_usd: bounded(WhatToCacheIn.usd_per_billion_reads),
  written_usd: bounded(WhatToCacheIn.usd_per_tb_written),
  gib_usd: bounded(WhatToCacheIn.usd_per_gib_month),
  paid: oneOf(FLASH_PAID),
  cache: text(MOST_NAME),
});

/** Reads the page's own parameters. */
export const parseCacheSearch = (raw: Record<string, unknown>): CacheSearch & Refused =>
  readAddress(FIELDS, raw);
