/** HTTP servers of the process: opening them with settings that suit long streams, and closing them without cutting any. */
import { once } from "node:events";
import { createServer, type RequestListener, type Server, type ServerOptions } from "node:http";
import type { ListenAddress } from "@obleth/config";
import { StartError } from "../errors";

/** Longer than load balancers keep idle connections (60 s), so that the other side closes first. */
const KEEP_ALIVE_MS = 75_000;
/** A client that does not finish its head in time is not worth a socket. */
const HEADERS_MS = 30_000;
/** The largest body of the management API is an import of some megabytes. */
const REQUEST_MS = 300_000;

export interface Listener {
  readonly server: Server;
  /** As bound: the port is never 0. */
  readonly address: ListenAddress;
}

export interface ListenOptions {
  readonly address: ListenAddress;
  /** The setting that moves it elsewhere. */
  readonly setting: string;
  /** Hangs its handlers on the server before it listens. */
  readonly attach: (server: Server) => void;
  readonly server?: ServerOptions;
}

/** Servers of the pages that people and tools read. */
const PLAIN_SERVER: ServerOptions = {
  keepAliveTimeout: KEEP_ALIVE_MS,
  headersTimeout: HEADERS_MS,
  requestTimeout: REQUEST_MS,
  noDelay: true,
  insecureHTTPParser: false,
};

export const answering = (handle: RequestListener) => (server: Server) => void server.on("request", handle);

/**
 * Opens a listener.
 * @throws StartError in one line when the address cannot be had.
 */
export async function openListener(options: ListenOptions): Promise<Listener> {
  const server = createServer(options.server ?? PLAIN_SERVER);
  options.attach(server);
  const { host, port } = options.address;
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch (error) {
    throw new StartError(cannotListen(error, options), { cause: error });
  }
  const bound = server.address();
  return { server, address: { host, port: typeof bound === "object" && bound !== null ? bound.port : port } };
}

/** Stops accepting and closes idle connections; those with a request finish it and close after. */
export function stopAccepting({ server }: Listener): void {
  server.close();
  server.closeIdleConnections();
}

/** Ends every connection, whatever it is doing. */
export function cutConnections({ server }: Listener): void {
  server.closeAllConnections();
}

function cannotListen(error: unknown, { address, setting }: ListenOptions): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
  const where = `${address.host}:${address.port}`;
  if (code === "EADDRINUSE") return `port ${address.port} is in use; stop what uses it or set ${setting} to another`;
  if (code === "EACCES") return `not allowed to listen on ${where}; set ${setting} to a port above 1023`;
  return `cannot listen on ${where} (${code}); set ${setting} to another address`;
}
