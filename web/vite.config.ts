import { defineConfig } from "vitest/config";

export default defineConfig({
  base: "./",
  build: {
    outDir: "dist",
    assetsInlineLimit: 0, // the server forbids inline content
    chunkSizeWarningLimit: 900, // three.js is one chunk
    target: "es2022",
  },
  test: { include: ["tests/**/*.test.ts"], testTimeout: 60_000 }, // milliseconds, on a busy machine
});
