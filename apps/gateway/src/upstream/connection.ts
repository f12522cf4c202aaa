/**
 * One connection to a backend: carries one request at a time and hands its answer on as it is read. Who uses it hears of
 * the answer's parts, then exactly once of its end or of the connection's loss, and nothing after that.
 */
import { isIP, connect as netConnect, type Socket, type TcpNetConnectOpts } from "node:net";
import { type ConnectionOptions, connect as tlsConnect } from "node:tls";
import { BadAnswer } from "./answer-head";
import { AnswerParser } from "./answer-parser";

/** Where a connection goes. */
export interface Target {
  readonly host: string;
  readonly port: number;
  /** Null for a connection in the clear. */
  readonly tls: ConnectionOptions | null;
  readonly lookup: TcpNetConnectOpts["lookup"];
}

export interface ConnectionUser {
  /** The request has been handed to the system. */
  onSent(): void;
  onHead(status: number, headers: readonly string[]): void;
  /** False stops the reading until `resume()`. The bytes belong to who gets them. */
  onBody(bytes: Buffer): boolean;
  /** The answer is complete; `isReusable` says whether the connection can carry another request. */
  onEnd(isReusable: boolean): void;
  onLost(error: Error): void;
}

/** Bodies up to this long go out in one piece with their head. */
const MAX_JOINED_BYTES = 16 * 1024;
/** How long the system waits before it asks a silent peer whether it is there, ms. */
const PROBE_AFTER_MS = 60_000;
/** All connections read into it, one after the other: what is read is taken up or copied before the next read. */
const READ_INTO = Buffer.allocUnsafeSlow(64 * 1024);

export class Connection {
  /** Monotonic; until when it may be used again. Kept by whoever keeps it. */
  idleUntilMs = 0;
  /** What the last answer said about keeping it, ms. */
  keepAliveMs: number | null = null;
  readonly #socket: Socket;
  #isConnected = false;
  #isUsed = false;
  #user: ConnectionUser | null = null;
  #parser: AnswerParser | null = null;
  #request: { head: string; body: Buffer | null } | null = null;
  #error: Error | null = null;

  constructor(target: Target) {
    const { tls } = target;
    this.#socket = tls === null ? this.#connectPlain(target) : this.#connectTls(target, tls);
    this.#socket.once(tls === null ? "connect" : "secureConnect", () => this.#connected());
    this.#socket.once("end", () => this.#ended());
    this.#socket.on("error", (error) => {
      this.#error ??= error;
    });
    this.#socket.once("close", () => this.#lost(this.#error ?? new Error("the other side closed")));
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed && this.#socket.writable;
  }

  /**
   * Sends a request. On a connection that has served one before this waits until the events of the present turn have been
   * read: what came unasked meanwhile must not be taken for the answer.
   */
  send(head: string, body: Buffer | null, user: ConnectionUser): void {
    this.#user = user;
    this.#request = { head, body };
    if (!this.#isConnected) return;
    if (this.#isUsed) sendSoon(this);
    else this.write();
  }

  /** Writes the request that is to be sent, unless the connection has been lost meanwhile. */
  write(): void {
    const request = this.#request;
    const user = this.#user;
    if (request === null || user === null || this.#socket.destroyed) return;
    this.#request = null;
    this.#isUsed = true;
    this.#parser = new AnswerParser();
    const { head, body } = request;
    const socket = this.#socket;
    if (body === null || body.length === 0) socket.write(head, "latin1");
    else if (body.length <= MAX_JOINED_BYTES) socket.write(head + body.toString("latin1"), "latin1");
    else {
      socket.cork();
      socket.write(head, "latin1");
      socket.write(body);
      socket.uncork();
    }
    user.onSent();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Closes it at once; whoever uses it hears nothing more. */
  destroy(): void {
    this.#user = null;
    this.#socket.destroy();
  }

  #connectPlain({ host, port, lookup }: Target): Socket {
    return netConnect({
      host,
      port,
      ...(lookup === undefined ? {} : { lookup }),
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: PROBE_AFTER_MS,
      onread: { buffer: READ_INTO, callback: (size) => this.#read(READ_INTO.subarray(0, size)) },
    });
  }

  #connectTls({ host, port, lookup }: Target, options: ConnectionOptions): Socket {
    const socket = tlsConnect({
      ...options,
      host,
      port,
      ...(lookup === undefined ? {} : { lookup }),
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ALPNProtocols: ["http/1.1"],
    });
    socket.setNoDelay(true);
    socket.setKeepAlive(true, PROBE_AFTER_MS);
    socket.on("data", (bytes: Buffer) => {
      if (!this.#read(bytes)) socket.pause();
    });
    return socket;
  }

  #connected(): void {
    this.#isConnected = true;
    this.write();
  }

  /** Returns whether to go on reading. */
  #read(bytes: Buffer): boolean {
    const parser = this.#parser;
    const user = this.#user;
    // Nothing was asked, or it is on its way to be.
    if (parser === null || user === null) {
      this.#fail(new BadAnswer("bytes came unasked"));
      return true;
    }
    try {
      return this.#take(bytes, parser, user);
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error("unreadable answer"));
      return true;
    }
  }

  #take(bytes: Buffer, parser: AnswerParser, user: ConnectionUser): boolean {
    const hadHead = parser.hasHead;
    const taken = parser.push(bytes);
    const body = parser.takeBody();
    if (!hadHead && parser.hasHead) user.onHead(parser.status, parser.headers);
    // Any of these may give the connection up.
    let wantsMore = true;
    if (body !== null && this.#user === user) wantsMore = user.onBody(body);
    if (parser.isDone && this.#user === user) this.#finish(parser, user, taken === bytes.length);
    return wantsMore || parser.isDone;
  }

  /** The answer is complete. `isAll` when nothing came behind it. */
  #finish(parser: AnswerParser, user: ConnectionUser, isAll: boolean): void {
    this.#parser = null;
    this.#user = null;
    this.keepAliveMs = parser.keepAliveMs;
    // An answer to a request that has not all been sent leaves a connection in doubt.
    const isReusable = isAll && parser.keepsAlive && this.isOpen && this.#socket.writableLength === 0;
    if (!isReusable) this.#socket.destroy();
    user.onEnd(isReusable);
  }

  #ended(): void {
    const parser = this.#parser;
    const user = this.#user;
    if (parser !== null && user !== null && parser.close()) this.#finish(parser, user, false);
    else this.#fail(new Error("the other side closed"));
  }

  #fail(error: Error): void {
    this.#error ??= error;
    this.#socket.destroy();
    this.#lost(this.#error);
  }

  #lost(error: Error): void {
    const user = this.#user;
    this.#user = null;
    user?.onLost(error);
  }
}

let waiting: Connection[] = [];

function sendSoon(connection: Connection): void {
  if (waiting.push(connection) === 1) setImmediate(sendAll);
}

function sendAll(): void {
  const due = waiting;
  waiting = [];
  for (const connection of due) connection.write();
}
