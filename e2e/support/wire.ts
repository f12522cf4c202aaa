/** A TCP connection to a service that a test can cut, mend and slow down, without touching the service. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

export class Wire {
  /** Added to what goes to the service, ms; asked for each piece. Pieces keep their order. */
  delayMs: () => number = () => 0;
  /** Takes what either side sends and delivers nothing, without a word. */
  isDeaf = false;
  #isCut = false;
  #onItsWay = 0;
  #swallowed = 0;
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

  /** Pieces that are late, and not at the service yet. */
  get onItsWay(): number {
    return this.#onItsWay;
  }

  /** Pieces that were to go to the service while the wire was deaf. */
  get swallowed(): number {
    return this.#swallowed;
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
    const endFar = this.#pass(near, far);
    far.on("data", (piece) => this.isDeaf || near.write(piece));
    far.on("close", () => near.destroy());
    near.on("close", endFar);
    for (const socket of [near, far]) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => undefined);
      socket.on("close", () => this.#sockets.delete(socket));
    }
  }

  /** @returns what ends the far side, behind everything that is on its way: what was sent arrives, as on a real network. */
  #pass(near: Socket, far: Socket): () => void {
    let dueMs = 0;
    // Timers of different lengths that are due at once end in any order; whichever ends, the first piece goes.
    const late: Buffer[] = [];
    let isOver = false;
    const endWhenDelivered = () => isOver && late.length === 0 && far.end(() => far.destroy());
    near.on("data", (piece: Buffer) => {
      if (this.isDeaf) {
        this.#swallowed += 1;
        return;
      }
      const nowMs = performance.now();
      dueMs = Math.max(dueMs, nowMs + this.delayMs());
      if (dueMs <= nowMs && late.length === 0) return void far.write(piece);
      late.push(piece);
      this.#onItsWay += 1;
      setTimeout(() => {
        const first = late.shift();
        this.#onItsWay -= 1;
        if (first !== undefined && !far.destroyed) far.write(first);
        endWhenDelivered();
      }, dueMs - nowMs);
    });
    return () => {
      isOver = true;
      endWhenDelivered();
    };
  }
}
