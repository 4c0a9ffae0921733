/** A small simulator, in the shape of the server's answer. */
import type { SimulatorItem, SimulatorOut } from "@/api/simulator";

const item = (
  family: SimulatorItem["family"],
  name: string,
  extra: Partial<SimulatorItem> = {},
): SimulatorItem => ({
  family,
  name,
  title: name.toUpperCase(),
  description: `What ${name} does.`,
  paper: null,
  tiers: family === "policy" || family === "buffer" ? 1 : 2,
  least_pages: 1,
  needs: [],
  goes_by_time: false,
  options: [],
  device_options: [],
  counters: [],
  ...extra,
});

const option = (
  name: string,
  extra: Partial<SimulatorItem["options"][number]> = {},
): SimulatorItem["options"][number] => ({
  name,
  description: `About ${name}.`,
  default: "0.25",
  values: "a number from 0 to 1",
  choices: null,
  policy_of_tier: null,
  ...extra,
});

export const SIMULATOR: SimulatorOut = {
  policies: [
    item("policy", "lru"),
    item("policy", "2q", { options: [option("k_in"), option("k_out")] }),
    item("policy", "clock", { device_options: [option("ftl_spare_percent")] }),
    item("policy", "arc"),
    item("policy", "opt", { needs: ["future"] }),
  ],
  buffers: [item("buffer", "cflru", { options: [option("wrr")] })],
  schemes: [
    item("scheme", "lazy", {
      options: [
        option("ram_policy", {
          default: "lru",
          values: "a replacement policy",
          choices: ["lru", "2q", "clock", "arc", "opt"],
          policy_of_tier: "ram",
        }),
      ],
    }),
  ],
  flash_caches: [item("flash_cache", "face", { needs: ["writes"] })],
  choosers: [],
  needs: { future: "Reads ahead.", writes: "Needs writes." },
  most_contenders: 40,
  most_replays: 1000,
};
