/**
 * Sockets to Postgres that give up on a silent server. A connection whose packets something on the way drops is told
 * nothing: its queries would wait a quarter of an hour for the system to notice, and a pool of such connections serves
 * nobody meanwhile.
 */
import { connect, type Socket } from "node:net";

/** What the driver knows of where to connect to. */
export interface DriverAddress {
  readonly host: readonly string[];
  readonly port: readonly number[];
  /** Of a socket in the file system; false for none. */
  readonly path: string | false;
}

/** How often a socket is looked at within its limit. */
const LOOKS = 10;

/** Makes connecting sockets, to the first host, that are closed once nothing has been received for `limitMs`. */
export function watchedSocket(limitMs: number): (address: DriverAddress) => Socket {
  return ({ host: [host = "localhost"], port: [port = 5432], path }) => {
    const socket = path === false ? connect({ host, port }) : connect({ path });
    let received = 0;
    let looksInSilence = 0;
    // The driver takes every listener off a socket it closes or puts TLS on, so that the look itself notices the end.
    const timer = setInterval(() => {
      looksInSilence = socket.bytesRead === received ? looksInSilence + 1 : 0;
      received = socket.bytesRead;
      if (looksInSilence >= LOOKS) socket.destroy();
      if (socket.destroyed) clearInterval(timer);
    }, limitMs / LOOKS);
    timer.unref();
    // The driver asks for a certificate of the host that its socket names.
    return Object.assign(socket, { host, port });
  };
}
