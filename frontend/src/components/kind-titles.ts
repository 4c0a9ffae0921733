/** Titles of the kinds of device, by the ids that messages hold. */
export const KIND_TITLES: ReadonlyMap<string, string> = new Map([
  ["dram", "DRAM"],
  ["cxl", "CXL memory"],
  ["pmem", "Persistent memory"],
  ["nvme", "NVMe or PCIe SSD"],
  ["sata_ssd", "SATA or IDE SSD"],
  ["sd", "SD card"],
  ["nand", "Raw NAND chip"],
  ["hdd", "Hard disk"],
  ["hdd_array", "Array of hard disks"],
  ["cloud_block", "Cloud block volume"],
  ["cloud_disk", "Cloud block volume on hard disks"],
  ["object", "Object store"],
]);
