/** A TCP proxy in front of a server that can delay, swallow or cut what passes, in either direction. */
import { once } from "node:events";
import { createConnection, createServer, type Server, type Socket } from "node:net";

export interface TcpProxy {
  readonly port: number;
  /** Added to every chunk on its way to the server, ms; asked for each chunk. */
  delayMs: () => number;
  /** Swallowed without a word: nothing, what goes to the server, what comes back, or both. */
  swallows: "nothing" | "requests" | "replies" | "everything";
  /** Pieces on their way to the server that were swallowed. */
  readonly swallowed: number;
  /** Connections are refused. */
  refuses: boolean;
  /** Resets every connection. */
  cut(): void;
  close(): Promise<void>;
}

export async function startProxy(targetPort: number): Promise<TcpProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let swallowed = 0;
  const server: Server = createServer((client) => {
    if (proxy.refuses) {
      client.resetAndDestroy();
      return;
    }
    const upstream = createConnection(targetPort, "127.0.0.1");
    const pair = [client, upstream] as const;
    pairs.add(pair);
    pipe(
      client,
      upstream,
      () => {
        const isSwallowed = proxy.swallows === "requests" || proxy.swallows === "everything";
        if (isSwallowed) swallowed++;
        return isSwallowed;
      },
      () => proxy.delayMs(),
    );
    pipe(
      upstream,
      client,
      () => proxy.swallows === "replies" || proxy.swallows === "everything",
      () => 0,
    );
    for (const socket of pair) {
      socket.setNoDelay(true);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        pairs.delete(pair);
        for (const other of pair) other.destroy();
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const proxy: TcpProxy = {
    port: typeof address === "object" && address !== null ? address.port : 0,
    delayMs: () => 0,
    swallows: "nothing",
    get swallowed() {
      return swallowed;
    },
    refuses: false,
    cut() {
      for (const [client, upstream] of pairs) {
        client.resetAndDestroy();
        upstream.destroy();
      }
    },
    async close() {
      for (const pair of pairs) for (const socket of pair) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
  return proxy;
}

/** Chunks keep their order: a later one never overtakes a delayed one. */
function pipe(from: Socket, to: Socket, isSwallowed: () => boolean, delayMs: () => number): void {
  let dueMs = 0;
  from.on("data", (chunk) => {
    if (isSwallowed()) return;
    const nowMs = performance.now();
    dueMs = Math.max(dueMs, nowMs + delayMs());
    if (dueMs <= nowMs) to.write(chunk);
    else setTimeout(() => to.destroyed || to.write(chunk), dueMs - nowMs);
  });
}
