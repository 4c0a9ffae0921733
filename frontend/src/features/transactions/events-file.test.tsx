import { afterEach, expect, it, vi } from "vitest";
import { startUpload, type UploadEvents, type UploadHandle } from "@/api/uploads";
import { renderThemed } from "@/testing/render";
import { EventsFile } from "./events-file";

vi.mock(import("@/api/uploads"), async (original) => ({
  ...(await original()),
  startUpload: vi.fn(),
}));

afterEach(() => {
  vi.mocked(startUpload).mockReset();
});

/** The page with a file that is being sent, and what the upload would report. */
async function sending() {
  const reports: UploadEvents[] = [];
  vi.mocked(startUpload).mockImplementation((_, events) => {
    reports.push(events);
    return Promise.resolve<UploadHandle>({ cancel: () => Promise.resolve() });
  });
  const uploaded = vi.fn();
  const screen = await renderThemed(
    <EventsFile
      text="A recording of pgbench"
      isExample
      onUploaded={uploaded}
      onExample={vi.fn()}
    />,
  );
  await screen
    .getByLabelText("File of events")
    .upload(new File(["B T1\nC T1\n"], "mine.txt"));
  await expect.element(screen.getByText(/Uploading mine.txt/)).toBeVisible();
  return { screen, uploaded, upload: reports[0] };
}

it("takes the file once it has arrived", async () => {
  const { screen, uploaded, upload } = await sending();
  upload?.onDone("u1");
  expect(uploaded).toHaveBeenCalledExactlyOnceWith("u1");
  await expect.element(screen.getByText(/Uploading mine.txt/)).not.toBeInTheDocument();
});

it("changes no other page when the upload ends after the user left", async () => {
  const { screen, uploaded, upload } = await sending();
  await screen.unmount();
  upload?.onDone("u1");
  expect(uploaded).not.toHaveBeenCalled();
});
