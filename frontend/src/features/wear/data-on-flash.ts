import type { SimulatorOut } from "@/api/gen/types.gen";

/** Policies and buffers whose data lie on the flash device, as the address names them. */
export interface DataSearch {
  /** Names, separated by commas; absent: none. */
  data_on_flash?: string | undefined;
}

/** Those that the address names. */
export const dataOf = (search: DataSearch): string[] =>
  search.data_on_flash === undefined ? [] : search.data_on_flash.split(",");

/** What can be chosen; a buffer that is also a policy is the policy. */
export const heldOnFlash = (
  simulator: Pick<SimulatorOut, "policies" | "buffers">,
): { readonly value: string; readonly label: string }[] => {
  const policies = new Set(simulator.policies.map(({ name }) => name));
  const buffers = simulator.buffers.filter(({ name }) => !policies.has(name));
  return [...simulator.policies, ...buffers].map(({ name, title }) => ({
    value: name,
    label: title,
  }));
};
