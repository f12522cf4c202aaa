/** A TCP connection to a service that a test can cut and mend, without touching the service. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

export class Wire {
  #isCut = false;
  readonly #sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly target: { readonly host: string; readonly port: number },
  ) {
    server.on("connection", (socket) => this.#join(socket));
  }

  static async to(target: { host: string; port: number }): Promise<Wire> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    return new Wire(server, target);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Breaks every connection and refuses new ones. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend(): void {
    this.#isCut = false;
  }

  close(): void {
    this.cut();
    this.server.close();
  }

  #join(near: Socket): void {
    if (this.#isCut) {
      near.destroy();
      return;
    }
    const far = connect(this.target.port, this.target.host);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(socket);
      socket.pipe(other);
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
  }
}
