/** A client that speaks bytes: for what no HTTP library would send, or do. */
import { connect, type Socket } from "node:net";
import { SECRET } from "./rig";

export class RawClient {
  #pieces: Buffer[] = [];
  isClosed = false;
  readonly socket: Socket;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", (chunk: Buffer) => {
      this.#pieces.push(chunk);
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      this.isClosed = true;
    });
  }

  static async connect(port: number): Promise<RawClient> {
    const socket = connect(port, "127.0.0.1");
    await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
    socket.setNoDelay(true);
    return new RawClient(socket);
  }

  /** Connects and sends at once. */
  static async send(port: number, bytes: string | Buffer): Promise<RawClient> {
    const client = await RawClient.connect(port);
    client.socket.write(bytes);
    return client;
  }

  /** Joined when it is asked for: answers may be long. */
  get received(): Buffer {
    if (this.#pieces.length !== 1) this.#pieces = [Buffer.concat(this.#pieces)];
    return this.#pieces[0] as Buffer;
  }

  get text(): string {
    return this.received.toString("latin1");
  }

  /** Status codes of the answers received so far. */
  get statuses(): number[] {
    return [...this.text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => Number(match[1]));
  }

  reset(): void {
    this.socket.resetAndDestroy();
  }
}

/** A chat request as bytes. */
export function rawChat(
  body: object | string,
  { headers = [] as string[], path = "/v1/chat/completions" } = {},
): string {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const head = [
    `POST ${path} HTTP/1.1`,
    "host: gateway",
    `authorization: Bearer ${SECRET}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(text)}`,
    ...headers,
  ];
  return `${head.join("\r\n")}\r\n\r\n${text}`;
}
