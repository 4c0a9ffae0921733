/** Devices from what was measured on them. */
export type { FioImportIn, FioImportOut, FioMixOut, FioRunOut } from "./gen/types.gen";
