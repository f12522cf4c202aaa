/** Connections that never come about: a server that takes them and says nothing, in the middle of the TLS handshake. */
import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { endpoint, model, type Rig, until } from "./testing/rig";
import { gatewayWith } from "./testing/set-up";

/** Long beside what a test does meanwhile, on a slow machine too. */
const CONNECT_MS = 1000;

let silent: Server;
let open = 0;
let rig: Rig;

beforeEach(async () => {
  silent = createServer((socket) => {
    open++;
    socket.on("error", () => {}).on("close", () => open--);
    socket.resume();
  }).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const base = `https://127.0.0.1:${(silent.address() as AddressInfo).port}/v1`;
  rig = await gatewayWith({
    models: [model([endpoint(base)], { maxRetries: 0 })],
    settings: { connectTimeoutMs: CONNECT_MS },
  });
});

afterEach(() => silent.close());

it("are given up at their time limit, and no socket of them stays open", async () => {
  const answers = await Promise.all(Array.from({ length: 5 }, () => rig.chat()));
  expect(answers.map((answer) => answer.status)).toEqual(Array(5).fill(504));
  await Promise.all(answers.map((answer) => answer.text()));
  await until(() => open === 0 && rig.inFlight === 0);
});

it("are closed by then when their clients have left before", async () => {
  const leaving = new AbortController();
  const gone = rig.chat({}, { signal: leaving.signal }).catch((error: Error) => error.name);
  await until(() => open === 1);
  leaving.abort();
  expect(await gone).toBe("AbortError");
  await until(() => rig.inFlight === 0);
  await until(() => open === 0);
});
