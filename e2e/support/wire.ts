/** A TCP connection to a service that a test can cut, mend and slow down, without touching the service. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

export class Wire {
  /** Added to what goes to the service, ms; asked for each piece. Pieces keep their order. */
  delayMs: () => number = () => 0;
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
    this.#pass(near, far);
    far.pipe(near);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
  }

  #pass(near: Socket, far: Socket): void {
    let dueMs = 0;
    near.on("data", (piece) => {
      const nowMs = performance.now();
      dueMs = Math.max(dueMs, nowMs + this.delayMs());
      if (dueMs <= nowMs) far.write(piece);
      else setTimeout(() => far.destroyed || far.write(piece), dueMs - nowMs);
    });
    near.on("end", () => far.end());
  }
}
