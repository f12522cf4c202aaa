/**
 * A model server for tests that does exactly what a script says, byte by byte over a raw socket, and remembers what
 * reached it: how many requests were open at once, which were given up by their caller, and the requests themselves.
 */
import { createServer, type Server, type Socket } from "node:net";

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  /** Lowercase names. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** What a script can do with the connection of one request. */
export interface ScriptedAnswer {
  readonly request: SeenRequest;
  /** Which request of this server it is, from 1. */
  readonly number: number;
  /** Writes raw bytes; resolves when the socket has taken them. */
  write(bytes: Buffer | string): Promise<void>;
  /** Waits, or stops waiting when the caller goes away. */
  pause(ms: number): Promise<void>;
  /** Waits for ever: until the caller goes away. */
  hang(): Promise<void>;
  /** Resets the connection. */
  reset(): void;
  /** Closes the connection in order. */
  close(): void;
  readonly isGone: boolean;
}

export type Script = (answer: ScriptedAnswer) => Promise<void> | void;

export class ScriptedUpstream {
  readonly requests: SeenRequest[] = [];
  /** Most requests open at the same time. */
  highWater = 0;
  /** Requests open now. */
  open = 0;
  /** Requests whose caller left before their answer was complete. */
  abandoned = 0;
  /** Bytes written that the caller had not taken, at the most. */
  maxUnsent = 0;
  script: Script;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(script: Script) {
    this.script = script;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  static async start(script: Script): Promise<ScriptedUpstream> {
    const upstream = new ScriptedUpstream(script);
    await new Promise<void>((resolve) => upstream.#server.listen(0, "127.0.0.1", resolve));
    return upstream;
  }

  get port(): number {
    const address = this.#server.address();
    return address !== null && typeof address === "object" ? address.port : 0;
  }

  get base(): string {
    return `http://127.0.0.1:${this.port}/v1`;
  }

  get connectionCount(): number {
    return this.#sockets.size;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("error", () => {});
    socket.setNoDelay(true);
    let parts: Buffer[] = [];
    let size = 0;
    let needed = 0;
    let isBusy = false;
    const serveNext = (): void => {
      if (isBusy || size < needed) return;
      const buffered = Buffer.concat(parts);
      needed = requestLength(buffered);
      const parsed = size < needed ? null : parseRequest(buffered);
      parts = [parsed === null ? buffered : buffered.subarray(parsed.length)];
      if (parsed === null) return;
      size -= parsed.length;
      needed = 0;
      isBusy = true;
      void this.#answer(socket, parsed.request).finally(() => {
        isBusy = false;
        serveNext();
      });
    };
    socket.on("data", (chunk: Buffer) => {
      parts.push(chunk);
      size += chunk.length;
      serveNext();
    });
  }

  async #answer(socket: Socket, request: SeenRequest): Promise<void> {
    this.requests.push(request);
    this.open++;
    this.highWater = Math.max(this.highWater, this.open);
    let isOver = false;
    let onClose = (): void => {};
    const gone = new Promise<void>((resolve) => {
      onClose = () => {
        if (!isOver) {
          this.abandoned++;
          this.#leave();
        }
        isOver = true;
        resolve();
      };
      // The caller's end says that it has left, long before bytes it will not take let the connection close.
      socket.once("close", onClose).once("end", onClose);
    });
    const answer: ScriptedAnswer = {
      request,
      number: this.requests.length,
      write: (bytes) => this.#write(socket, bytes, gone),
      pause: (ms) => Promise.race([gone, new Promise<void>((resolve) => setTimeout(resolve, ms).unref())]),
      hang: () => gone,
      reset: () => socket.resetAndDestroy(),
      close: () => void socket.end(),
      get isGone() {
        return isOver || socket.destroyed;
      },
    };
    try {
      await this.script(answer);
    } finally {
      if (!isOver && !socket.destroyed) {
        isOver = true;
        socket.off("close", onClose).off("end", onClose);
        this.#leave();
      }
    }
  }

  #leave(): void {
    this.open--;
  }

  #write(socket: Socket, bytes: Buffer | string, gone: Promise<void>): Promise<void> {
    if (socket.destroyed || !socket.writable) return Promise.resolve();
    if (socket.write(bytes)) return Promise.resolve();
    this.maxUnsent = Math.max(this.maxUnsent, socket.writableLength);
    return Promise.race([gone, new Promise<void>((resolve) => socket.once("drain", resolve))]);
  }
}

/** How long the first request is, as soon as its head is there. */
function requestLength(bytes: Buffer): number {
  const headEnd = bytes.indexOf("\r\n\r\n");
  const length = headEnd < 0 ? null : /\r\ncontent-length:\s*(\d+)/i.exec(bytes.toString("latin1", 0, headEnd));
  return headEnd + 4 + Number(length?.[1] ?? 0);
}

function parseRequest(bytes: Buffer): { request: SeenRequest; length: number } | null {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0) return null;
  const [requestLine = "", ...lines] = bytes.toString("latin1", 0, headEnd).split("\r\n");
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  const length = headEnd + 4 + Number(headers.get("content-length") ?? 0);
  if (bytes.length < length) return null;
  const [method = "", path = ""] = requestLine.split(" ");
  return { request: { method, path, headers, body: Buffer.from(bytes.subarray(headEnd + 4, length)) }, length };
}
