/**
 * The client-facing side of the gateway as one object to hang on an HTTP server: takes requests in, and lets go of them in
 * order when the process stops.
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { malformedHttpResponse } from "../error-response";
import { Endpoints } from "../upstream/endpoints";
import { HealthChecks } from "../upstream/health-checks";
import { Watchdog } from "../upstream/watchdog";
import { BodyMemory } from "./body/body-memory";
import { Pipeline } from "./pipeline";
import type { ProxyDeps } from "./proxy-deps";
import { RequestEndings } from "./request-endings";
import { breakOff } from "./respond";
import { UpstreamSender } from "./stages/send-upstream";
import { Tokenizers } from "./tokenizers";

/**
 * How the server has to be made. Idle connections outlive the 60 s after which balancers usually close theirs, so that it
 * is never the gateway that closes one just as a request arrives.
 */
export const PROXY_SERVER_OPTIONS: ServerOptions = {
  keepAliveTimeout: 75_000,
  headersTimeout: 80_000,
  // Uploads are bounded by silence, not by their length.
  requestTimeout: 0,
  maxHeaderSize: 64 * 1024,
  insecureHTTPParser: false,
  // Refused by the pipeline like everything else, with a request id.
  requireHostHeader: false,
  noDelay: true,
  keepAlive: true,
};

/**
 * Requests that may wait on one connection behind the one that is being answered. Node reads on without a limit, and each
 * costs a hundred times its bytes.
 */
const MAX_PIPELINED = 64;

/** How often a drain looks whether answers have left, ms. */
const FLUSH_CHECK_MS = 20;

export interface ProxyListener {
  /** For `request` events. */
  handle(req: IncomingMessage, res: ServerResponse): void;
  /** Hangs every handler on a server made with `PROXY_SERVER_OPTIONS`. */
  attachTo(server: Server): void;
  /** Whether requests are sent to this endpoint. */
  isEndpointHealthy(endpointId: string): boolean;
  /** Requests that have not ended. */
  readonly activeCount: number;
  /** Bytes of request bodies held: arriving, waiting and running. */
  readonly heldBodyBytes: number;
  /** From here on requests are refused with 503 and connections close behind their answers. */
  startDraining(): void;
  /**
   * Resolves when all requests have ended and their answers have left the process. Requests that have not ended after
   * `graceMs` are cut short; answers that clients have not taken by then are given up.
   */
  drain(graceMs: number): Promise<void>;
  /** Closes connections to backends. */
  close(): void;
}

export function createProxyListener(deps: ProxyDeps): ProxyListener {
  return new Listener(deps);
}

class Listener implements ProxyListener {
  readonly #deps: ProxyDeps;
  readonly #endings: RequestEndings;
  readonly #pipeline: Pipeline;
  readonly #endpoints: Endpoints;
  readonly #checks: HealthChecks;
  readonly #memory: BodyMemory;
  readonly #sockets = new Set<Socket>();
  /** Of connections on which requests wait for their turn, how many. */
  readonly #pipelined = new WeakMap<Socket, number>();

  constructor(deps: ProxyDeps) {
    const { clock, settings, random, events } = deps;
    this.#deps = deps;
    this.#endings = new RequestEndings(deps);
    this.#endpoints = new Endpoints({
      clock,
      random,
      events,
      rules: { blockPrivateNetworks: settings.blockPrivateNetworks },
      connectTimeoutMs: settings.connectTimeoutMs,
    });
    const watchdog = new Watchdog(clock);
    const sender = new UpstreamSender({ endpoints: this.#endpoints, watchdog, clock, random, events }, settings);
    this.#memory = new BodyMemory(settings.bodyMemoryBytes);
    const [tokenizers, endings, memory] = [new Tokenizers(), this.#endings, this.#memory];
    this.#pipeline = new Pipeline({ deps, sender, tokenizers, endings, memory });
    this.#checks = new HealthChecks({ clock, endpoints: this.#endpoints, watchdog, models: deps.models });
    if (settings.healthCheckMs > 0) this.#checks.start(settings.healthCheckMs);
  }

  get activeCount(): number {
    return this.#endings.active.size;
  }

  get heldBodyBytes(): number {
    return this.#memory.heldBytes;
  }

  handle(req: IncomingMessage, res: ServerResponse): void {
    this.#take(req, res, { expectsContinue: false });
  }

  attachTo(server: Server): void {
    server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
    server.on("request", (req, res) => this.#take(req, res, { expectsContinue: false }));
    server.on("checkContinue", (req, res) => this.#take(req, res, { expectsContinue: true }));
    server.on("checkExpectation", (req, res) => this.#pipeline.refuseExpectation(req, res));
    server.on("connect", (_req, socket: Duplex) => closeWith(socket, undefined));
    server.on("clientError", (error: NodeJS.ErrnoException, socket) => this.#malformed(socket, error.code));
    server.setTimeout(this.#deps.settings.clientStallMs, (socket) => this.#silent(socket));
  }

  isEndpointHealthy(endpointId: string): boolean {
    return this.#endpoints.isHealthy(endpointId);
  }

  startDraining(): void {
    this.#endings.isDraining = true;
    this.#checks.stop();
  }

  async drain(graceMs: number): Promise<void> {
    this.startDraining();
    const { clock } = this.#deps;
    const deadlineMs = clock.monotonicMs() + graceMs;
    const timer = clock.setTimer(graceMs, () => this.#cutShortAll());
    await new Promise<void>((resolve) => this.#endings.whenIdle(resolve));
    timer.cancel();
    while (this.#hasUnsentBytes() && clock.monotonicMs() < deadlineMs) {
      await new Promise<void>((resolve) => clock.setTimer(FLUSH_CHECK_MS, resolve));
    }
  }

  close(): void {
    this.#checks.stop();
    this.#endpoints.close();
  }

  #take(req: IncomingMessage, res: ServerResponse, options: { expectsContinue: boolean }): void {
    if (this.#deps.otherPaths?.(req, res) === true) return;
    if (res.socket === null) this.#waitForTurn(req, res, options);
    else this.#pipeline.run(req, res, options);
  }

  /** A pipelined request has its turn when the answers before it have gone out; until then it takes nothing. */
  #waitForTurn(req: IncomingMessage, res: ServerResponse, options: { expectsContinue: boolean }): void {
    const { socket } = req;
    const waiting = (this.#pipelined.get(socket) ?? 0) + 1;
    if (waiting > MAX_PIPELINED) {
      socket.destroy();
      return;
    }
    this.#pipelined.set(socket, waiting);
    res.once("socket", () => {
      this.#pipelined.set(socket, (this.#pipelined.get(socket) ?? 1) - 1);
      this.#pipeline.run(req, res, options);
    });
  }

  /** Bytes that are no request. Said so, unless an answer is under way there, of which that would become a part. */
  #malformed(socket: Duplex, code: string | undefined): void {
    for (const { req, res } of this.#endings.active) {
      if (req.socket !== socket || !res.headersSent) continue;
      breakOff(res);
      return;
    }
    closeWith(socket, code);
  }

  /** A slow client may still be taking an answer whose request has long ended. */
  #hasUnsentBytes(): boolean {
    for (const socket of this.#sockets) if (socket.writableLength > 0 && !socket.destroyed) return true;
    return false;
  }

  #cutShortAll(): void {
    for (const request of [...this.#endings.active]) this.#pipeline.cutShort(request);
  }

  /**
   * A connection has been silent for the stall limit. Waiting for a slot or for a backend is no fault of the client's; not
   * sending a body it has begun, or not taking its answer, is.
   */
  #silent(socket: { destroy(): void }): void {
    for (const request of this.#endings.active) {
      if (request.req.socket !== socket) continue;
      if (request.isBlocked || !request.req.complete) socket.destroy();
      return;
    }
    // An answer that has ended and is not being taken, or a connection without a request.
    socket.destroy();
  }
}

function closeWith(socket: Duplex, code: string | undefined): void {
  if (socket.writable && code !== "ECONNRESET") socket.end(malformedHttpResponse(code, randomUUID()));
  socket.destroy();
}
