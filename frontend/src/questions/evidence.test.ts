import { describe, expect, it } from "vitest";
import type { AdviceOptionOut } from "@/api/advice";
import { evidenceLinks, evidenceText, knownDevices, pointOf } from "./evidence";
import { parseQuestion } from "./registry";

const POINT: NonNullable<AdviceOptionOut["point"]> = {
  ram_pages: 3_670_016,
  flash_pages: 97_656_250,
  flash_device: "solidigm-d7-p5810-800gb",
  disk_device: "seagate-exos-x24-24tb",
  flash_devices: 2,
  disks: 9,
  machines: 1,
  curve_machines: 1,
  accesses_per_s: 40_000,
  peak_accesses_per_s: 60_000,
  scheme: "lazy",
  io_time_us_per_access: 4.3584,
  growth_per_year: 0,
};
const OPTION = {
  name: "RAM and drives",
  kind: "devices",
  scheme: "lazy",
  admission: null,
  peak_busy: 0.17433,
  io_time_us_per_access: 4.3584,
  replayed_io_time_us_per_access: null,
  flash_life_years: 7,
  response_p99_us: 132,
  response_reason: "",
  ranges: {},
  point: POINT,
} as unknown as AdviceOptionOut;
const ASKED = { workload_id: "w1", horizon_months: 48 };
const AROUND = {
  knows: knownDevices([
    { id: "solidigm-d7-p5810-800gb" },
    { id: "seagate-exos-x24-24tb" },
  ]),
  replayable: true,
};
const linksOf = (change: Partial<AdviceOptionOut> = {}, around = AROUND) =>
  evidenceLinks(ASKED, { ...OPTION, ...change }, around);
/** As the page reads the address, which the router keeps whatever stood there before. */
const read = (link: ReturnType<typeof linksOf>[number]) =>
  parseQuestion(link.question, {
    // What the advice, and pages before it, may have left.
    ram_pages: 4_194_304,
    flash_pages: 16_777_216,
    flash_device: "micron-9550-max-3.2tb",
    disks: 54,
    caches: "s3-fifo",
    metadata: "face",
    price_book: "street-2026-q3",
    ...link.search,
  });

describe("the evidence of an option", () => {
  it("opens every page at its workload, sizes and devices", () => {
    const links = linksOf();
    expect(links.map(({ to }) => to)).toEqual([
      "/compare",
      "/scheme-map",
      "/dram-or-flash",
      "/wear",
      "/throughput",
      "/simulate",
    ]);
    for (const link of links) {
      const address = read(link);
      expect(address).toMatchObject({
        workload: "w1",
        ram_pages: 3_670_016,
        flash_pages: 97_656_250,
        flash_device: "solidigm-d7-p5810-800gb",
        disk_device: "seagate-exos-x24-24tb",
        months: 48,
        caches: undefined,
        metadata: undefined,
      });
      expect(address.refused).toBeUndefined();
    }
  });

  it("states what each page asks besides: devices, load, scheme", () => {
    const by = new Map(linksOf().map((link) => [link.to as string, read(link)]));
    expect(by.get("/throughput")).toMatchObject({
      disks: 9,
      flash_devices: 2,
      rate: 40_000,
      peak_rate: 60_000,
    });
    expect(by.get("/wear")).toMatchObject({
      rate: 40_000,
      devices: 2,
      growth: undefined,
    });
    // The life of the option counts the growth of the load, so the page has to.
    const growing = linksOf({ point: { ...POINT, growth_per_year: 0.3 } });
    const [wear] = growing.filter(({ question }) => question === "wear");
    expect(wear && read(wear)).toMatchObject({ growth: 0.3 });
    expect(by.get("/simulate")).toMatchObject({
      contenders: "scheme:lazy",
      sizes: "3670016",
      flash_sizes: "97656250",
    });
    // The figures of the advice are those of the model: no replay takes their place.
    expect(by.get("/compare")).toMatchObject({ counted_by: "model" });
    // Money of bytes is not that of the bill, except where money is the question.
    expect(by.get("/compare")).toMatchObject({
      price_book: "none",
      ram_device: "none",
    });
    expect(by.get("/dram-or-flash")).toMatchObject({ price_book: "street-2026-q3" });
  });

  it("of an instance is at the disk of that instance, without flash", () => {
    const point = {
      ...POINT,
      flash_pages: 0,
      flash_device: null,
      flash_devices: 0,
      disks: 1,
      disk_device: "disk-of-azure-l2s_v4",
      scheme: "none",
    };
    const links = linksOf({ kind: "instances", scheme: "none", point });
    expect(links.map(({ to }) => to)).toEqual(["/compare", "/throughput", "/simulate"]);
    for (const link of links) {
      expect(read(link)).toMatchObject({
        disk_device: "disk-of-azure-l2s_v4",
        flash_pages: 0,
      });
    }
    expect(read(links[1] as never)).toMatchObject({ disks: 1, flash_devices: 1 });
    expect(read(links[2] as never)).toMatchObject({
      contenders: "policy:lru",
      flash_sizes: undefined,
    });
  });

  it("is left out where pages would show other figures", () => {
    // A volume at the rates that it is rented with; a device that only the question states.
    expect(linksOf({ point: null })).toEqual([]);
    expect(linksOf({ point: { ...POINT, disk_device: "of-a-file" } })).toEqual([]);
    expect(linksOf({ point: { ...POINT, flash_device: "of-a-file" } })).toEqual([]);
    // A flash cache, or an admission, that no page flow is.
    expect(linksOf({ scheme: "s3-fifo" })).toEqual([]);
    expect(linksOf({ admission: "cachesack" })).toEqual([]);
    // What is not known is not linked to.
    const noRate = { ...POINT, accesses_per_s: null, peak_accesses_per_s: null };
    const links = linksOf({ point: noRate }, { ...AROUND, replayable: false });
    expect(links.map(({ to }) => to)).toEqual([
      "/compare",
      "/scheme-map",
      "/dram-or-flash",
    ]);
    expect(linksOf({ flash_life_years: null }).map(({ to }) => to)).not.toContain(
      "/wear",
    );
  });

  it("of a quote is at the devices that pages know, or nowhere", () => {
    const point = { ...POINT, disk_device: "disk-of-aws-i4i.16xlarge" };
    expect(linksOf({ kind: "quotes", point }).map(({ to }) => to)).toContain(
      "/compare",
    );
    // As the server once named a quoted volume, and the disk of an instance.
    for (const disk_device of ["aws-ebs-gp2", "aws-i4i.xlarge-local"]) {
      expect(linksOf({ kind: "quotes", point: { ...POINT, disk_device } })).toEqual([]);
    }
  });

  it("shows a figure that is a range as one, as the page does that it opens", () => {
    // Nobody states which pages are dirty: the time is between no writes and as many as possible.
    const unknown = {
      ...OPTION,
      io_time_us_per_access: null,
      peak_busy: null,
      ranges: { io_time_us_per_access: [1.1402, 4.9481], peak_busy: [0.02, 0.09] },
    } as unknown as AdviceOptionOut;
    const point = { ...POINT, io_time_us_per_access: 4.9481 };
    expect(evidenceText(unknown, point)).toContain(
      "by the model: 1.14 µs to 4.95 µs of I/O time per access under its page flow, the busiest device 2 % to 9 % busy in",
    );
  });

  it("promises no response times where no latency is stated", () => {
    const shows = (change: Partial<AdviceOptionOut>) =>
      linksOf(change).find(({ question }) => question === "throughput")?.shows;
    expect(shows({})).toBe("busy shares and response times at its load");
    expect(
      shows({
        response_p99_us: null,
        response_reason:
          "no source states the latency of a read of aws-i3en.xlarge-local, and IOPS under load do not say it; state `read_latency_us` in a device file, or measure the device",
      }),
    ).toBe(
      "busy shares at its load; of response times lower bounds at most, as no source states the latency of a read of aws-i3en.xlarge-local",
    );
  });

  it("says no latency is missing where response times are unknown for another reason", () => {
    const shows = (response_reason: string, ranges: object = {}) =>
      linksOf({
        response_p99_us: null,
        response_reason,
        ranges: ranges as AdviceOptionOut["ranges"],
      }).find(({ question }) => question === "throughput")?.shows;
    const late =
      "seagate-exos-x24-24tb and micron-9550 cannot keep up with the busiest hour";
    const beyond =
      "busy shares at its load, which is beyond what it carries in the busiest hour";
    expect(shows(late)).toBe(beyond);
    // Without dirty pages it carries its load.
    const carried = { response_p99_us: [132, null] };
    expect(shows(late, carried)).toBe(`${beyond} with as many dirty pages as possible`);
    expect(
      shows(
        "they depend on which evicted pages are dirty, and the curve does not say it",
        { response_p99_us: [132, 190] },
      ),
    ).toBe(
      "busy shares and response times at its load, with as many dirty pages as possible",
    );
    expect(shows("where that one machine fails, none is left")).toBe(
      "busy shares at its load",
    );
  });

  it("says which figures to expect, and of which of several machines", () => {
    expect(pointOf(OPTION, AROUND.knows)).toBe(POINT);
    expect(evidenceText(OPTION, POINT)).toContain(
      "they show its figures by the model: 4.36 µs of I/O time per access under its page flow, the busiest device 17.4 % busy in the busiest hour.",
    );
    expect(evidenceText(OPTION, POINT)).not.toContain("machine");
    expect(
      evidenceText(OPTION, { ...POINT, machines: 4, curve_machines: 4 }),
    ).toContain("Sizes, devices and load are those of one of its 4 machines.");
    expect(evidenceText(OPTION, { ...POINT, machines: 5 })).toContain(
      "RAM and flash are those of all its 5 machines together, as the workload is of one; devices and load are those of one of its 5 machines.",
    );
    expect(
      evidenceText(OPTION, { ...POINT, machines: 2, curve_machines: 4 }),
    ).toContain(
      "RAM and flash are those of 2 machines, divided by the 4 that the workload is of; devices and load are those of one of its 2 machines.",
    );
  });
});
