/** A backend listening on a free loopback port, for tests, with the two official clients pointed at it. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { Backend } from "../src/backend";
import { makeServer } from "../src/server";
import { DEFAULT_SETTINGS, type Settings } from "../src/settings";

export interface RunningBackend {
  readonly backend: Backend;
  readonly url: string;
  readonly openai: OpenAI;
  readonly anthropic: Anthropic;
  /** Calls the control API and returns status and JSON. */
  control(method: string, path: string, body?: unknown): Promise<{ status: number; json: Record<string, unknown> }>;
  close(): Promise<void>;
}

/** Starts one at a speed that makes every wait vanish, unless `settings` say otherwise. */
export async function startBackend(
  settings: Partial<Settings> = {},
  options: { apiKey?: string; models?: string[] } = {},
): Promise<RunningBackend> {
  const backend = new Backend({
    models: options.models ?? ["sim-chat", "sim/embed"],
    apiKey: options.apiKey ?? null,
    settings: { ...DEFAULT_SETTINGS, speed: 1_000_000, ...settings },
  });
  const server = makeServer(backend);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    backend,
    url,
    openai: new OpenAI({ baseURL: `${url}/v1`, apiKey: options.apiKey ?? "any", maxRetries: 0 }),
    anthropic: new Anthropic({ baseURL: url, apiKey: options.apiKey ?? "any", maxRetries: 0 }),
    async control(method, path, body) {
      const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
      const response = await fetch(`${url}/control/${path}`, init);
      return { status: response.status, json: (await response.json()) as Record<string, unknown> };
    },
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Waits until `condition` holds, looking again every few milliseconds; throws after ten seconds. */
export async function eventually(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error("the condition never held");
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
