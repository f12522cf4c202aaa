/**
 * Kept-alive connections to one endpoint. Each connection serves one request at a time; the one used last is used next,
 * so a burst's extra connections fall idle and close by themselves. A request whose connection died under it asks for a
 * fresh one.
 */
import { isIP } from "node:net";
import { Client } from "undici";
import { AddressRefused, type AddressRules, guardedLookup, isAddressAllowed } from "./address-guard";

/** Connections kept while idle; more than this is closed when it comes back. */
const MAX_IDLE = 512;
/** How long an idle connection is kept, below the usual 60 s of servers and balancers, ms. */
const IDLE_MS = 45_000;
/** Longest response head accepted, bytes. */
const MAX_HEAD_BYTES = 64 * 1024;

export class Connections {
  readonly #idle: Client[] = [];
  readonly #origin: string;
  readonly #rules: AddressRules;
  readonly #isRefused: boolean;
  readonly #connectTimeoutMs: number;
  #isClosed = false;

  /**
   * `origin` is scheme, host and port. `connectTimeoutMs` ends a connection that does not come about, its TLS handshake
   * included: one that was given up meanwhile is closed no earlier.
   */
  constructor(origin: string, rules: AddressRules, connectTimeoutMs: number) {
    this.#origin = origin;
    this.#connectTimeoutMs = connectTimeoutMs;
    this.#rules = rules;
    const host = new URL(origin).hostname.replace(/^\[|\]$/g, "");
    this.#isRefused = isIP(host) !== 0 && !isAddressAllowed(host, rules);
  }

  /** A connection nobody else uses; it connects by itself when it is not connected. Throws `AddressRefused`. */
  take({ fresh }: { fresh: boolean }): Client {
    if (this.#isRefused) throw new AddressRefused(this.#origin);
    if (!fresh) {
      for (let client = this.#idle.pop(); client !== undefined; client = this.#idle.pop()) {
        if (!client.destroyed) return client;
      }
    }
    return new Client(this.#origin, {
      pipelining: 1,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MAX_HEAD_BYTES,
      connect: {
        lookup: guardedLookup(this.#rules),
        timeout: this.#connectTimeoutMs,
        keepAlive: true,
        noDelay: true,
      },
    });
  }

  /** Gives back a connection whose answer has been read to its end. */
  giveBack(client: Client): void {
    if (this.#isClosed || this.#idle.length >= MAX_IDLE) void client.destroy().catch(() => {});
    else this.#idle.push(client);
  }

  /** Closes what is idle; what is in use closes when it comes back. */
  close(): void {
    this.#isClosed = true;
    for (const client of this.#idle.splice(0)) void client.destroy().catch(() => {});
  }
}
