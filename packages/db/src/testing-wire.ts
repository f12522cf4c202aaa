/**
 * A TCP connection to Postgres on which a test can take away the notices of changes and nothing else: connections that
 * have sent `LISTEN` go silent or are refused, all others go on.
 */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { CONFIG_CHANNEL } from "./config-changes";

/**
 * `silent`: what the server sends to a listener is lost and nobody is told. `refused`: its connection breaks, and so does
 * each new one once it wants to listen. `down`: every connection breaks and none can be made.
 */
export type NoticeWire = "open" | "silent" | "refused" | "down";

const LISTEN = Buffer.from(`listen "${CONFIG_CHANNEL}"`);

export class ListenWire {
  #notices: NoticeWire = "open";
  /** Attempts to listen that were broken off. */
  refusals = 0;
  readonly #listening = new Set<Socket>();
  readonly #sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
  ) {
    server.on("connection", (socket) => this.#join(socket));
  }

  static async to(databaseUrl: string): Promise<ListenWire> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    return new ListenWire(server, new URL(databaseUrl));
  }

  /** The database's URL by way of this wire. */
  get url(): string {
    const url = new URL(this.target);
    url.hostname = "127.0.0.1";
    url.port = String((this.server.address() as AddressInfo).port);
    return url.href;
  }

  set notices(notices: NoticeWire) {
    this.#notices = notices;
    if (notices === "refused") for (const socket of this.#listening) socket.destroy();
    if (notices === "down") for (const socket of this.#sockets) socket.destroy();
  }

  /** Connections that listen at this moment. */
  get listenerCount(): number {
    return this.#listening.size;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.server.close();
  }

  #join(near: Socket): void {
    if (this.#notices === "down") {
      this.refusals++;
      near.destroy();
      return;
    }
    const far = connect(Number(this.target.port || 5432), this.target.hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(socket);
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        this.#sockets.delete(socket);
        this.#listening.delete(socket);
        other.destroy();
      });
    }
    near.on("data", (bytes) => {
      if (bytes.includes(LISTEN)) this.#listening.add(near);
      if (!this.#listening.has(near) || this.#notices !== "refused") {
        far.write(bytes);
        return;
      }
      this.refusals++;
      near.destroy();
    });
    far.on("data", (bytes) => {
      if (this.#notices !== "silent" || !this.#listening.has(near)) near.write(bytes);
    });
  }
}
