import react from "@vitejs/plugin-react";
import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";

// Chromium refuses its sandbox to root; everybody else keeps it.
const isRoot = process.getuid?.() === 0;

export default defineConfig({
  plugins: [react()],
  resolve: { tsconfigPaths: true },
  // All at once: a dependency found later would reload the page under a test.
  optimizeDeps: {
    include: [
      "@mantine/core",
      "@mantine/form",
      "@mantine/hooks",
      "@mantine/notifications",
      "@noble/hashes/sha2.js",
      "@noble/hashes/utils.js",
      "@tanstack/react-query",
      "@tanstack/react-router",
      "axe-core",
      "echarts/charts",
      "echarts/components",
      "echarts/core",
      "echarts/renderers",
      "fast-check",
      "react",
      "react-dom/client",
      "react/jsx-dev-runtime",
      "react/jsx-runtime",
      "vitest-browser-react",
    ],
  },
  test: {
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["src/testing/setup.ts"],
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      provider: playwright({
        launchOptions: {
          executablePath: process.env["TIERWRIGHT_CHROMIUM"] ?? "/usr/bin/chromium",
          args: isRoot ? ["--no-sandbox"] : [],
        },
      }),
      instances: [{ browser: "chromium", viewport: { width: 1280, height: 720 } }],
    },
  },
});
