/** What `npm start` says once everything runs. */
import path from "node:path";
import { ROOT } from "./environment.mjs";
import { readFirstRun } from "./first-run.mjs";

/** @param {{ dataDir: string, proxyUrl: string, adminUrl: string, dashboardUrl: string, isDemo: boolean }} run */
export function greet({ dataDir, proxyUrl, adminUrl, dashboardUrl, isDemo }) {
  const { adminEmail, adminPassword, keys, model } = readFirstRun(dataDir);
  const shown = path.relative(ROOT, dataDir) || dataDir;
  const login =
    adminEmail === undefined ? "sign in as you did before" : `sign in as ${adminEmail} with ${adminPassword}`;
  const [secret] = Object.values(keys);
  const lines = [
    "",
    "obleth is running.",
    "",
    `  Dashboard   ${dashboardUrl}   ${login}`,
    `  API         ${proxyUrl}/v1   OpenAI and Anthropic clients`,
    `  Management  ${adminUrl}/api/v1   reference at ${adminUrl}/api/docs`,
    `  Data, logs  ${shown}`,
    "",
  ];
  if (secret !== undefined && model !== undefined) {
    const body = JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] });
    lines.push(
      "Try it:",
      "",
      `  curl ${proxyUrl}/v1/chat/completions -H 'Authorization: Bearer ${secret}' -H 'Content-Type: application/json' -d '${body}'`,
      "",
    );
  }
  if (isDemo) lines.push(`Simulated tenants are sending requests; watch them at ${dashboardUrl}/fairshare`, "");
  lines.push("Ctrl-C stops everything and keeps the data.");
  console.log(lines.join("\n"));
}
