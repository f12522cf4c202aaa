/** Listen addresses: reading them, showing them to people, and finding out whether they are taken. */
import { connect, createServer } from "node:net";
import { codeOf } from "./environment.mjs";
import { Refusal } from "./refusal.mjs";

/** @typedef {{ host: string, port: number }} Address */

/**
 * @param {string} text `host:port`, the host in brackets when it is IPv6
 * @param {string} variable where it came from, for the message
 * @returns {Address}
 */
export function readAddress(text, variable) {
  const match = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535)
    throw new Refusal(`${variable} must be host:port, such as 127.0.0.1:8080; it is "${text}".`);
  return { host: match[1] ?? match[2] ?? "", port };
}

/**
 * Where this machine reaches a listener: loopback when it listens everywhere.
 * @param {Address} address
 */
export function urlOf({ host, port }) {
  const everywhere = host === "0.0.0.0" || host === "::" || host === "";
  const name = everywhere ? "127.0.0.1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

/**
 * @param {Address} address port 0 is always free
 * @param {string} variable the setting that moves it
 */
export async function requireFree({ host, port }, variable) {
  if (port === 0) return;
  const problem = await new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error) => resolve(codeOf(error)));
    server.listen({ host: host || "0.0.0.0", port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
  // A listener on loopback alone does not stop us from binding all addresses, yet would take our callers.
  const isTaken = problem === "EADDRINUSE" || (problem === undefined && (await answers(port)));
  if (isTaken) throw new Refusal(`Port ${port} is in use. Stop what uses it, or set ${variable} to another port.`);
  if (problem === "EACCES")
    throw new Refusal(`Not allowed to listen on port ${port}. Set ${variable} to a port above 1023.`);
  if (problem !== undefined)
    throw new Refusal(`Cannot listen on ${host}:${port} (${problem}). Set ${variable} to another address.`);
}

/** @returns {Promise<number>} a port nobody uses right now */
export async function freePort() {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

/** @param {number} port */
function answers(port) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
