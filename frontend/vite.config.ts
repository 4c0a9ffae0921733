import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const apiTarget = process.env["TIERWRIGHT_API_URL"] ?? "http://127.0.0.1:8765";

export default defineConfig({
  plugins: [react()],
  resolve: { tsconfigPaths: true },
  build: {
    target: "es2022",
    sourcemap: false,
    // The chart library is one chunk of its own, loaded only by pages with charts.
    chunkSizeWarningLimit: 640,
  },
  server: {
    host: "127.0.0.1",
    proxy: { "/api": { target: apiTarget, changeOrigin: true } },
  },
});
