import path from "node:path";
import type { NextConfig } from "next";

const repositoryRoot = path.join(import.meta.dirname, "..", "..");

const config: NextConfig = {
  output: "standalone",
  outputFileTracingRoot: repositoryRoot,
  turbopack: { root: repositoryRoot },
  transpilePackages: ["@obleth/contract", "@obleth/fairshare"],
  poweredByHeader: false,
  reactStrictMode: true,
  // A page paints with its first answer instead of after another one: the styles are 8 KB, compressed.
  experimental: { inlineCss: true },
  // `npm run verify` checks types, for every package; a build that did so again would double its time.
  typescript: { ignoreBuildErrors: true },
  // No page has a picture; without this the server would fetch and convert any address of its own that a stranger names.
  images: { unoptimized: true },
  devIndicators: false,
  // Browsers ask for it by themselves, and log what they do not get.
  rewrites: async () => [{ source: "/favicon.ico", destination: "/icon.svg" }],
};

export default config;
