/**
 * What large bodies take and leave behind: forty of 30 MB at once, twice, which mostly wait, then leave; then plain requests.
 * `npx tsx apps/gateway/bench/large-bodies.ts 512` bounds them to 512 MiB; set `MALLOC_MMAP_THRESHOLD_` to compare.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { endpoint, model, Rig, SECRET } from "../src/proxy/testing/rig";
import { residentBytes } from "./child";

const MB = 1024 * 1024;
const BODIES = 40;
const ROUNDS = 2;
const SELF = fileURLToPath(import.meta.url);

/** The gateway under test; says what it holds whenever it is asked. */
async function serve(stubPort: number, memoryMb: number): Promise<void> {
  const settings = { maxBodyBytes: 64 * MB, bodyMemoryBytes: memoryMb * MB };
  const models = [model([endpoint(`http://127.0.0.1:${stubPort}/v1`)], { maxInFlight: 2 })];
  const rig = await Rig.start({ models, settings });
  process.send?.(rig.port);
  process.on("message", () => process.send?.([rig.listener.heldBodyBytes / MB, rig.listener.activeCount]));
}

async function heldBy(gateway: ChildProcess): Promise<[heldMb: number, requests: number]> {
  gateway.send("held");
  return (await once(gateway, "message"))[0] as [number, number];
}

/** Sends them all and waits until the gateway holds as much as it will. */
async function crowd(gateway: ChildProcess, port: number): Promise<Socket[]> {
  const members = `"model":"m","stream":true,"messages":[{"role":"user","content":"${"hello ".repeat(5 * MB)}"}]`;
  const body = Buffer.from(`{${members}}`);
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: g\r\nauthorization: Bearer ${SECRET}\r\ncontent-length: ${body.length}\r\n\r\n`;
  const sockets = Array.from({ length: BODIES }, () => {
    const socket = connect(port, "127.0.0.1").on("error", () => {});
    socket.resume().write(head);
    socket.write(body);
    return socket;
  });
  for (let before = "", same = 0; same < 4; ) {
    await pause(500);
    const now = String(await heldBy(gateway));
    same = now === before && !now.startsWith("0,") ? same + 1 : 0;
    before = now;
  }
  return sockets;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function measure(memoryMb: number): Promise<void> {
  const stub = createServer((socket) => socket.on("error", () => {}).resume()).listen(0, "127.0.0.1");
  await once(stub, "listening");
  const gateway = fork(SELF, ["serve", String((stub.address() as AddressInfo).port), String(memoryMb)]);
  const port = (await once(gateway, "message"))[0] as number;
  const print = async (when: string): Promise<void> => {
    const peakKb = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${gateway.pid}/status`, "utf8"))?.[1];
    const resident = residentBytes({ process: gateway, port }) / MB;
    const [heldMb, requests] = await heldBy(gateway);
    console.log(
      `${when}: ${requests} requests hold ${heldMb.toFixed()} MB; ${resident.toFixed()} MB resident, ${(Number(peakKb) / 1024).toFixed()} at most`,
    );
  };
  await print("at first");
  for (let round = 0; round < ROUNDS; round++) {
    const sockets = await crowd(gateway, port);
    await print("full");
    for (const socket of sockets) socket.destroy();
    await pause(3000);
    await print("gone");
  }
  const headers = { authorization: `Bearer ${SECRET}` };
  for (let i = 0; i < 3000; i++) await (await fetch(`http://127.0.0.1:${port}/v1/models`, { headers })).text();
  await print("after 3,000 plain requests");
  gateway.kill();
  stub.close();
}

if (process.argv[2] === "serve") await serve(Number(process.argv[3]), Number(process.argv[4]));
else await measure(Number(process.argv[2] ?? 512));
