import { once } from "node:events";
import { createServer } from "node:net";

/** `count` different loopback ports that nobody uses right now. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  const ports: number[] = [];
  for (const server of servers) {
    if (!server.listening) await once(server, "listening");
    const address = server.address();
    if (address !== null && typeof address === "object") ports.push(address.port);
  }
  for (const server of servers) server.close();
  return ports;
}
