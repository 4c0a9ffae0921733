import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { afterEach, expect, it, vi } from "vitest";
import { renderThemed } from "@/testing/render";
import { type RunOut, useRun } from "./runs";

const JSON_TYPE = { "content-type": "application/json" };

const run = (status: RunOut["status"]): RunOut =>
  ({ id: "r1", status, phase: status === "running" ? "starting" : "" }) as RunOut;

/** An answer whose body is there at once, so that nothing is drawn before it is read. */
function read(value: RunOut): Response {
  const text = JSON.stringify(value);
  return Object.assign(new Response(text, { headers: JSON_TYPE }), {
    text: () => Promise.resolve(text),
    json: () => Promise.resolve(value),
  });
}

/** Streams of events that the test sends itself. */
class Stream extends EventTarget {
  static readonly opened: Stream[] = [];
  constructor() {
    super();
    Stream.opened.push(this);
  }
  close() {}
  send(value: RunOut) {
    this.dispatchEvent(new MessageEvent("run", { data: JSON.stringify(value) }));
  }
}

function Status() {
  return <p>The run: {useRun("r1", run("running")).data?.status}</p>;
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it("sees the end of a run though an older answer arrives after it", async () => {
  vi.stubGlobal("EventSource", Stream);
  const answers: ((value: RunOut) => void)[] = [];
  vi.spyOn(window, "fetch").mockImplementation(
    () =>
      new Promise((resolve) => {
        answers.push((value) => resolve(read(value)));
      }),
  );
  const screen = await renderThemed(
    <QueryClientProvider client={new QueryClient()}>
      <Status />
    </QueryClientProvider>,
  );
  await vi.waitFor(() => {
    expect(Stream.opened).toHaveLength(1);
    expect(answers).toHaveLength(1);
  });
  // The stream is ahead of the answer to the first poll, and has ended before it arrives.
  Stream.opened[0]?.send(run("running"));
  Stream.opened[0]?.send(run("succeeded"));
  answers[0]?.(run("running"));
  await vi.waitFor(() => expect(answers.length).toBeGreaterThan(1), { timeout: 5000 });
  answers[1]?.(run("succeeded"));
  await expect.element(screen.getByText("The run: succeeded")).toBeVisible();
});
