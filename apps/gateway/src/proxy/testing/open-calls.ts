/**
 * Counts the calls that a gateway in this process has open at backends, by its own sockets: from the moment a request is
 * about to be written until its answer is complete or its socket is destroyed, which closes the descriptor at once.
 * A backend cannot count as exactly: it hears of an end when its own loop reads it.
 */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";

interface SentHeaders {
  readonly request: object;
  readonly socket: Socket;
}

export class OpenCalls {
  /** Most that were open together, counted whenever a call is sent. */
  most = 0;
  readonly #open = new Map<object, Socket>();

  /** Counts the calls sent to these ports. */
  constructor(private readonly ports: ReadonlySet<number>) {
    subscribe("undici:client:sendHeaders", this.#sent);
    subscribe("undici:request:trailers", this.#completed);
  }

  /** Open at this moment. */
  get open(): number {
    for (const [call, { destroyed }] of this.#open) if (destroyed) this.#open.delete(call);
    return this.#open.size;
  }

  stop(): void {
    unsubscribe("undici:client:sendHeaders", this.#sent);
    unsubscribe("undici:request:trailers", this.#completed);
  }

  readonly #sent = (message: unknown): void => {
    const { request, socket } = message as SentHeaders;
    if (!this.ports.has(socket.remotePort ?? 0)) return;
    this.#open.set(request, socket);
    this.most = Math.max(this.most, this.open);
  };

  readonly #completed = (message: unknown): void => {
    this.#open.delete((message as SentHeaders).request);
  };
}
