// SPDX-License-Identifier: Apache-2.0
import { defineConfig } from "vite";

// The policy of the server forbids inline code and data URLs, so nothing is inlined. `npm run dev` shows the sources with the answers of the
// server at TRISTATE, an address that `tristate ui` printed.
export default defineConfig({
  base: "./",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../dist",
    emptyOutDir: true,
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
    rollupOptions: { output: { entryFileNames: "assets/page-[hash].js", assetFileNames: "assets/[name]-[hash][extname]" } },
  },
  server: { proxy: { "/api": process.env.TRISTATE ?? "http://127.0.0.1:8080" } },
});
