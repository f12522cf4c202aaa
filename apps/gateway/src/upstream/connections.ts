/**
 * Kept-alive connections to one endpoint. Each connection serves one request at a time; the one used last is used next,
 * so a burst's extra connections fall idle and are closed. A request whose connection died under it asks for a fresh one.
 */
import { isIP } from "node:net";
import type { ConnectionOptions } from "node:tls";
import type { Clock, Timer } from "@obleth/clock";
import { AddressRefused, type AddressRules, guardedLookup, isAddressAllowed } from "./address-guard";
import { Connection, type Target } from "./connection";

/** Connections kept while idle; more than this is closed when it comes back. */
const MAX_IDLE = 512;
/** How long an idle connection is kept, below the usual 60 s of servers and balancers, ms. */
const IDLE_MS = 45_000;
/** So long before a backend closes an idle connection it is no longer used, ms. */
const MARGIN_MS = 1_000;
/** How often idle connections are looked over, ms. */
const SWEEP_MS = 1_000;

export interface ConnectionsParts {
  readonly rules: AddressRules;
  readonly clock: Clock;
  /** What else holds for connections with TLS. */
  readonly tls?: ConnectionOptions;
}

export class Connections {
  /** `Host` of the requests. */
  readonly host: string;
  #idle: Connection[] = [];
  readonly #clock: Clock;
  readonly #target: Target;
  readonly #isRefused: boolean;
  #isClosed = false;
  #sweep: Timer | null = null;

  /** `origin` is scheme, host and port. */
  constructor(origin: string, { rules, clock, tls = {} }: ConnectionsParts) {
    const { protocol, hostname, host, port } = new URL(origin);
    const isSecure = protocol === "https:";
    const name = hostname.replace(/^\[|\]$/g, "");
    this.host = host;
    this.#clock = clock;
    this.#target = {
      host: name,
      port: port === "" ? (isSecure ? 443 : 80) : Number(port),
      tls: isSecure ? tls : null,
      lookup: guardedLookup(rules),
    };
    this.#isRefused = isIP(name) !== 0 && !isAddressAllowed(name, rules);
  }

  /** A connection nobody else uses; what is sent on it waits until it is connected. Throws `AddressRefused`. */
  take({ fresh }: { fresh: boolean }): Connection {
    if (this.#isRefused) throw new AddressRefused(this.host);
    if (!fresh && this.#idle.length > 0) {
      const nowMs = this.#clock.monotonicMs();
      for (let connection = this.#idle.pop(); connection !== undefined; connection = this.#idle.pop()) {
        if (connection.isOpen && nowMs < connection.idleUntilMs) return connection;
        connection.destroy();
      }
    }
    return new Connection(this.#target);
  }

  /** Gives back a connection whose answer has been read to its end. */
  giveBack(connection: Connection): void {
    const keptMs = Math.min(IDLE_MS, (connection.keepAliveMs ?? IDLE_MS + MARGIN_MS) - MARGIN_MS);
    if (this.#isClosed || this.#idle.length >= MAX_IDLE || keptMs <= 0) {
      connection.destroy();
      return;
    }
    connection.idleUntilMs = this.#clock.monotonicMs() + keptMs;
    this.#idle.push(connection);
    this.#sweep ??= this.#clock.setTimer(SWEEP_MS, () => this.#closeExpired());
  }

  /** Closes what is idle; what is in use closes when it comes back. */
  close(): void {
    this.#isClosed = true;
    this.#sweep?.cancel();
    for (const connection of this.#idle.splice(0)) connection.destroy();
  }

  #closeExpired(): void {
    const nowMs = this.#clock.monotonicMs();
    const isKept = (connection: Connection): boolean => connection.isOpen && nowMs < connection.idleUntilMs;
    for (const connection of this.#idle) if (!isKept(connection)) connection.destroy();
    this.#idle = this.#idle.filter(isKept);
    this.#sweep = this.#idle.length === 0 ? null : this.#clock.setTimer(SWEEP_MS, () => this.#closeExpired());
  }
}
