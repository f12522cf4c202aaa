/**
 * How soon a client that leaves is gone, for each of many: counted in turns of the event loop from the one in which the
 * gateway hears of it, so that a slow machine changes nothing and a delay of the gateway's own is seen.
 */
import type { Socket } from "node:net";
import { expect, it } from "vitest";
import { OpenCalls } from "./testing/open-calls";
import { RawClient, rawChat } from "./testing/raw-client";
import { type Rig, until } from "./testing/rig";
import { gateway } from "./testing/set-up";

const CHAT = { model: "m", messages: [] };
const POOL = 4;
const LEAVING = 200;
/** A half close is answered with one of the gateway's own before the connection counts as closed: a few turns. */
const MOST_TURNS = 8;

/** Counts turns from when the gateway hears that a connection has ended until `isGone`; adds them to `turns`. */
function countTurns(socket: Socket, isGone: () => boolean, turns: number[]): void {
  let hasBegun = false;
  const begin = (): void => {
    if (hasBegun) return;
    hasBegun = true;
    let count = 0;
    const look = (): void => {
      if (isGone() || count > 1000) turns.push(count);
      else {
        count++;
        setImmediate(look);
      }
    };
    look();
  };
  socket.once("end", begin).once("error", begin).once("close", begin);
}

/** Fills the pool, then lets clients come and leave, each in one of the two ways a client can. */
async function leaveOneByOne(
  rig: Rig,
  { fill, come, isGone }: { fill: number; come: () => boolean; isGone: () => boolean },
): Promise<number[]> {
  const turns: number[] = [];
  for (let i = 0; i < fill; i++) await RawClient.send(rig.port, rawChat(CHAT));
  await until(() => rig.inFlight === fill);
  for (let i = 0; i < LEAVING; i++) {
    rig.server.once("connection", (socket: Socket) => countTurns(socket, isGone, turns));
    const client = await RawClient.send(rig.port, rawChat(CHAT));
    await until(come);
    if (i % 2 === 0) client.reset();
    else client.socket.end();
    await until(() => turns.length === i + 1);
  }
  return turns;
}

it("a client that waits is out of the queue in the turns that tell of its end", async () => {
  const { rig, upstream } = await gateway((answer) => answer.hang(), { model: { maxInFlight: POOL } });
  const queued = (): number => rig.scheduler.sample().reduce((sum, pool) => sum + pool.queued, 0);
  const turns = await leaveOneByOne(rig, { fill: POOL, come: () => queued() === 1, isGone: () => queued() === 0 });
  expect(Math.max(...turns)).toBeLessThanOrEqual(MOST_TURNS);
  expect(upstream.requests).toHaveLength(POOL);
});

it("a client that is served has its slot freed and its call closed in the turns that tell of its end", async () => {
  const { rig, upstream } = await gateway((answer) => answer.hang(), { model: { maxInFlight: POOL } });
  const calls = new OpenCalls(new Set([upstream.port]));
  const others = POOL - 1;
  const turns = await leaveOneByOne(rig, {
    fill: others,
    come: () => upstream.open === POOL,
    isGone: () => rig.inFlight === others && calls.open === others,
  });
  calls.stop();
  expect(Math.max(...turns)).toBeLessThanOrEqual(MOST_TURNS);
  expect(calls.most).toBe(POOL);
});
