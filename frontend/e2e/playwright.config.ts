import { existsSync } from "node:fs";
import { defineConfig } from "@playwright/test";

// The application runs already; `TIERWRIGHT_BASE_URL` says where.
const baseURL = process.env["TIERWRIGHT_BASE_URL"] ?? "http://127.0.0.1:8787";
// Without the browser's own windows a story takes a fifth less of the processor.
const shell = "/usr/bin/chromium-headless-shell";
const chromium = existsSync(shell) ? shell : "/usr/bin/chromium";
// Chromium refuses its sandbox to root; everybody else keeps it.
const isRoot = process.getuid?.() === 0;

export default defineConfig({
  testDir: ".",
  outputDir: "../test-results",
  // Only so that what hangs ends: a machine may be several times as slow as the next, and busy besides.
  timeout: 600_000,
  expect: { timeout: 90_000 },
  fullyParallel: false,
  // Files of stories run side by side: each brings what it looks at, and most of it is waiting.
  workers: 2,
  // A story is run once: one that passes only sometimes has a cause, and hides it if it is run again.
  retries: 0,
  reporter: [["list"]],
  use: {
    baseURL,
    viewport: { width: 1280, height: 720 },
    // Recording every step takes a third of the time; a failure is looked into by running it again.
    trace: process.env["TIERWRIGHT_E2E_TRACE"] ? "retain-on-failure" : "off",
    screenshot: "only-on-failure",
    // Colours that are half-way from one state to another have contrasts of their own.
    contextOptions: { reducedMotion: "reduce" },
    permissions: ["clipboard-read", "clipboard-write"],
    launchOptions: {
      executablePath: process.env["TIERWRIGHT_CHROMIUM"] ?? chromium,
      args: isRoot ? ["--no-sandbox"] : [],
    },
  },
});
