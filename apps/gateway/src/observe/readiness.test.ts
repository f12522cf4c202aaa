import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { READY_CONDITIONS, Readiness } from "./readiness";

let readiness: Readiness;
let server: Server;
let origin: string;

beforeEach(async () => {
  readiness = new Readiness();
  server = createServer((request, response) => {
    if (!readiness.answer(request, response)) response.writeHead(418).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

describe("health and readiness", () => {
  it("is alive from the first moment", async () => {
    expect((await fetch(`${origin}/health`)).status).toBe(200);
  });

  it("is ready only while every condition holds", async () => {
    const status = async () => (await fetch(`${origin}/ready`)).status;
    expect(await status()).toBe(503);
    for (const condition of READY_CONDITIONS) readiness.set(condition, true);
    expect(await status()).toBe(200);
    for (const condition of READY_CONDITIONS) {
      readiness.set(condition, false);
      expect(await status(), condition).toBe(503);
      readiness.set(condition, true);
    }
  });

  it("says which condition is missing", async () => {
    readiness.set("not_draining", false);
    expect(await (await fetch(`${origin}/ready?verbose`)).json()).toMatchObject({
      ready: false,
      conditions: { not_draining: false, healthy: true },
    });
  });

  it("answers HEAD without a body, refuses other methods and leaves other paths alone", async () => {
    const head = await fetch(`${origin}/health`, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect((await fetch(`${origin}/health`, { method: "POST" })).status).toBe(405);
    expect((await fetch(`${origin}/healthy`)).status).toBe(418);
  });
});
