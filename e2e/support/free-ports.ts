/**
 * Ports for programs that a test starts. They lie below those that a system gives to connections and to whoever asks for
 * any port, and none is given twice: between the choice and the program's start nobody else comes by one of them.
 */
import { once } from "node:events";
import { createServer, type Server } from "node:net";

const FIRST = 10_240;
const COUNT = 22_000;

const given = new Set<number>();

/** `count` different loopback ports that nobody uses right now. */
export async function freePorts(count: number): Promise<number[]> {
  const held: Server[] = [];
  const ports: number[] = [];
  while (ports.length < count) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if (given.has(port)) continue;
    given.add(port);
    const server = await listenAt(port);
    if (server === null) continue;
    held.push(server);
    ports.push(port);
  }
  for (const server of held) server.close();
  return ports;
}

async function listenAt(port: number): Promise<Server | null> {
  const server = createServer().listen(port, "127.0.0.1");
  return once(server, "listening").then(
    () => server,
    () => null,
  );
}
