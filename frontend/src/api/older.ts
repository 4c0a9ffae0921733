import type { WarningOut } from "./gen/types.gen";

/** Whether an earlier version of the models made a result. */
export const isOlder = (result: {
  readonly warnings: readonly Pick<WarningOut, "name">[];
}): boolean => result.warnings.some(({ name }) => name === "older_model_version");
