import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { askProvider } from "./ask-provider";

const OPEN = { blockPrivateNetworks: false };
let server: Server;
let base: string;
let seen: IncomingMessage[];
let answer: (response: ServerResponse) => void;

beforeEach(async () => {
  seen = [];
  server = createServer((request, response) => {
    seen.push(request);
    answer(response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const ask = (known: Partial<Parameters<typeof askProvider>[0]> = {}) =>
  askProvider({ apiBase: base, apiKey: "canary", protocol: "openai", ...known }, OPEN);
const models = (ids: unknown[]) => (response: ServerResponse) =>
  void response.end(JSON.stringify({ data: ids.map((id) => ({ id })) }));

describe("asking a provider", () => {
  it("lists the models it serves, sorted and each once", async () => {
    answer = models(["b", "a", "b", "", 5]);
    expect(await ask()).toMatchObject({ status: 200, models: ["a", "b"] });
    expect(seen[0]?.url).toBe("/v1/models");
    expect(seen[0]?.headers.authorization).toBe("Bearer canary");
  });

  it("speaks each protocol's credential, and none when there is none", async () => {
    answer = models(["a"]);
    await ask({ protocol: "anthropic" });
    await ask({ apiKey: null });
    expect(seen[0]?.headers).toMatchObject({ "x-api-key": "canary", "anthropic-version": "2023-06-01" });
    expect(seen[1]?.headers.authorization).toBeUndefined();
  });

  it.each([
    [401, /credential was not accepted/],
    [404, /no list of models/],
    [500, /answered 500/],
  ])("says what a %d means, without the credential", async (status, words) => {
    answer = (response) => void response.writeHead(status).end("bad key canary");
    const result = await ask();
    expect(result).toMatchObject({ status, models: [] });
    expect(result.message).toMatch(words);
    expect(JSON.stringify(result)).not.toContain("canary");
  });

  it("finds no models in an answer that is no list", async () => {
    for (const body of ["<html>", "null", '{"data":{}}', "[]"]) {
      answer = (response) => void response.end(body);
      expect((await ask()).models).toEqual([]);
    }
  });

  it("says that nobody listens, that a name is unknown, and that an answer broke off", async () => {
    server.close();
    server.closeAllConnections();
    expect(await ask()).toMatchObject({ status: null, message: "The connection was refused." });
    expect((await ask({ apiBase: "http://no-such-host.invalid/v1" })).message).toMatch(/not known|no answer/);
  });

  it("follows no redirect", async () => {
    answer = (response) => void response.writeHead(302, { location: "http://127.0.0.1:1/" }).end();
    expect(await ask()).toMatchObject({ status: 302, models: [] });
    expect(seen).toHaveLength(1);
  });

  it("refuses addresses that are not to be reached", async () => {
    const refused = await ask({ apiBase: "http://169.254.169.254/latest" });
    expect(refused).toMatchObject({ status: null, models: [] });
    const local = await askProvider(
      { apiBase: base, apiKey: null, protocol: "openai" },
      { blockPrivateNetworks: true },
    );
    expect(local.status).toBeNull();
    expect(seen).toHaveLength(0);
  });
});
