import { queryOptions } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { beforeEach, expect, it, vi } from "vitest";
import { startUpload, type UploadEvents, type UploadHandle } from "@/api/uploads";
import { renderThemed } from "@/testing/render";
import { UploadZone } from "./upload-zone";

vi.mock("@/api/uploads", async (original) => ({
  ...(await original<object>()),
  startUpload: vi.fn(),
  uploadsQuery: () => queryOptions({ queryKey: ["uploads"], queryFn: () => [] }),
}));
vi.mock("@/api/catalog", async (original) => ({
  ...(await original<object>()),
  formatsQuery: () => queryOptions({ queryKey: ["formats"], queryFn: () => [] }),
}));
vi.mock(import("./server-side"), () => ({ ServerSide: () => null }));
vi.mock(import("@tanstack/react-router"), async (original) => ({
  ...(await original()),
  useNavigate: vi.fn(),
}));

const navigate = vi.fn();

beforeEach(() => {
  vi.mocked(useNavigate).mockReturnValue(navigate);
  navigate.mockReset();
});

/** The zone with a file that is being sent, and what the upload would report. */
async function sending() {
  const reports: UploadEvents[] = [];
  vi.mocked(startUpload).mockImplementation((_, events) => {
    reports.push(events);
    return Promise.resolve<UploadHandle>({ cancel: () => Promise.resolve() });
  });
  const screen = await renderThemed(<UploadZone />);
  await screen.getByLabelText("Trace file").upload(new File(["1 R 0\n"], "mine.txt"));
  await expect.element(screen.getByText(/Uploading mine.txt/)).toBeVisible();
  return { screen, upload: reports[0] };
}

it("opens the preview of a file once it has arrived", async () => {
  const { upload } = await sending();
  upload?.onDone("u1");
  expect(navigate).toHaveBeenCalledExactlyOnceWith({
    to: "/uploads/$uploadId",
    params: { uploadId: "u1" },
  });
});

it("opens it where the zone was drawn anew meanwhile", async () => {
  const { screen, upload } = await sending();
  await screen.unmount();
  upload?.onDone("u1");
  expect(navigate).toHaveBeenCalledOnce();
});

it("opens nothing when the upload ends after the user left", async () => {
  const { upload } = await sending();
  const here = window.location.href;
  window.history.replaceState(null, "", "/elsewhere");
  upload?.onDone("u1");
  window.history.replaceState(null, "", here);
  expect(navigate).not.toHaveBeenCalled();
});
