/** What a request costs in memory while it waits, one kilobyte of body included. */
import { connect, type Socket } from "node:net";
import { type Figure, ratioFigure } from "../../../scripts/figure";
import { type Bench, runLoad } from "./bench";
import { type Child, residentBytes } from "./child";
import { type PeerName, peerHeaders, startPeer } from "./peers";
import { chatRequest } from "./workload";

const HOLD_MS = 600_000;
const WARM_MS = 3_000;

/** The gateway's and HAProxy's requests wait in their queues, Portkey's at the backend, since it has no queue. */
export async function memoryFigures(bench: Bench): Promise<Figure[]> {
  const own = await perWaiting("obleth", bench);
  const figures: Figure[] = [];
  const bars: [PeerName, number, number][] = [
    ["haproxy", 2, 1.4],
    ["portkey", 0.2, 0.12],
  ];
  for (const [peer, atMost, stretch] of bars) {
    const beside = await perWaiting(peer, bench);
    if (own === null || beside === null) continue;
    const name = `memory per waiting request beside ${peer}`;
    figures.push(ratioFigure(name, { own: [own], beside: [beside] }, { unit: "bytes", atMost, stretch }));
  }
  return figures;
}

async function perWaiting(peer: PeerName, { stub, load, waiting }: Bench): Promise<number | null> {
  const child = await startPeer(peer, stub.port, 1);
  if (child === null) return null;
  const headers = peerHeaders(peer, stub.port);
  const request = chatRequest({ holdMs: HOLD_MS, headers });
  const sockets: Socket[] = [];
  try {
    // What a process needs once is not counted: memory for plain traffic, and for a few that wait.
    await runLoad(load, { port: child.port, connections: 64, durationMs: WARM_MS, request: chatRequest({ headers }) });
    await crowd(child, request, 50, sockets);
    const before = await settled(child);
    await crowd(child, request, waiting, sockets);
    return ((await settled(child)) - before) / waiting;
  } finally {
    for (const socket of sockets) socket.destroy();
    child.process.kill();
  }
}

async function crowd({ port }: Child, request: string, count: number, sockets: Socket[]): Promise<void> {
  for (let i = 0; i < count; i++) {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    await new Promise<void>((resolve) => socket.once("connect", resolve).once("close", () => resolve()));
    socket.write(request, "latin1");
    sockets.push(socket);
  }
}

/** Resident bytes once they have stopped changing by much. */
async function settled(child: Child): Promise<number> {
  let before = residentBytes(child);
  for (let i = 0; i < 20; i++) {
    await new Promise<void>((resolve) => setTimeout(resolve, 500));
    const now = residentBytes(child);
    if (Math.abs(now - before) < 200_000) return now;
    before = now;
  }
  return before;
}
