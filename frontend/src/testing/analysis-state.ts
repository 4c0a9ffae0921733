/** What an address asks about, as pages of analyses read it. */
export const STATE = {
  workload: "w",
  ram_pages: 100,
  flash_pages: 100,
  flash_device: "ssd",
  disk_device: "hdd",
  ram_device: "dram",
  price_book: "book",
  months: 36,
  start: "steady",
} as const;
