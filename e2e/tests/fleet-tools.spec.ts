/** What the tests of fleets break things with does what it says. */
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "@playwright/test";
import { FakeClock } from "../support/fake-clock";
import { RedisProcess } from "../support/redis-process";
import { Wire } from "../support/wire";

/** A server that only listens, behind a wire. */
async function listener() {
  let heard = "";
  const server = createServer((socket) => socket.on("data", (piece) => (heard += String(piece))).on("error", () => {}));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const wire = await Wire.to({ host: "127.0.0.1", port: (server.address() as AddressInfo).port });
  const dial = async (): Promise<Socket> => {
    const socket = connect(wire.port, "127.0.0.1").on("error", () => {});
    await new Promise<void>((resolve) => socket.once("connect", () => resolve()));
    return socket;
  };
  const close = () => {
    wire.close();
    server.close();
  };
  return { wire, dial, heard: () => heard, close };
}

test("a wire delivers what was sent before its connection was given up, however late", async () => {
  const { wire, dial, heard, close } = await listener();
  wire.delayMs = () => 200;
  const socket = await dial();
  await new Promise<void>((resolve) => socket.write("late", () => resolve()));
  socket.end();
  await expect.poll(heard).toBe("late");
  close();
});

test("a wire whose delay changes all the time delivers in the order in which things were sent", async () => {
  const { wire, dial, heard, close } = await listener();
  const socket = await dial();
  socket.setNoDelay(true);
  const said = Array.from({ length: 3000 }, (_, place) => `${place},`);
  for (const [place, piece] of said.entries()) {
    wire.delayMs = () => (place % 300 === 0 ? 20 : 0);
    await new Promise<void>((resolve) => socket.write(piece, () => resolve()));
    await new Promise(setImmediate);
  }
  await expect.poll(() => heard().length).toBe(said.join("").length);
  expect(heard()).toBe(said.join(""));
  expect(wire.onItsWay).toBe(0);
  close();
});

test("a deaf wire takes everything and delivers nothing, and what is said later arrives", async () => {
  const { wire, dial, heard, close } = await listener();
  wire.isDeaf = true;
  const socket = await dial();
  socket.write("lost");
  await expect.poll(() => wire.swallowed).toBe(1);
  wire.isDeaf = false;
  socket.write("heard");
  await expect.poll(heard).toBe("heard");
  close();
});

test("a process has the wall clock that it is given, and a new one at once", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "obleth-clock-"));
  const clock = new FakeClock(path.join(folder, "clock"), 60);
  const redis = await RedisProcess.startIn(clock.env);
  const aheadSecs = async () => {
    const [secs] = (await redis.command("TIME")) as [string];
    return Number(secs) - Date.now() / 1000;
  };
  expect(Math.abs((await aheadSecs()) - 60)).toBeLessThan(10);
  clock.set(-3600);
  expect(Math.abs((await aheadSecs()) + 3600)).toBeLessThan(10);
  await redis.stop();
  rmSync(folder, { recursive: true, force: true });
});
