/** Devices from what was measured on them. */
export type { FioImportIn, FioImportOut, FioRunOut } from "./gen/types.gen";
