/**
 * Writes the pieces of a streamed answer to the client. Small pieces, which streams are made of, are framed as HTTP chunks
 * here and handed to the socket as one buffer each, together where they came together: the response object would hand over
 * four for each, and cost several times as much. Large pieces, and answers without chunked framing, go through the response
 * object as usual.
 */
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Pieces up to this long are copied into one frame with their length; longer ones are cheaper to pass on uncopied. */
const MAX_FRAMED_BYTES = 16 * 1024;
const CR = 0x0d;
const LF = 0x0a;

export class ChunkedWriter {
  /** Set once frames go to the socket directly. */
  #socket: Socket | null = null;
  #listensToResponse = false;

  /** `onDrain` is called when a client that was behind has caught up. */
  constructor(
    private readonly res: ServerResponse,
    private readonly onDrain: () => void,
  ) {}

  /** False when the client is behind. The head has been written before the first call. */
  write(bytes: Buffer): boolean {
    // A chunk of no bytes would be the end of the answer.
    if (bytes.length === 0) return true;
    const { res } = this;
    const { socket } = res;
    // Until the first piece the head may still wait inside the response object; it has to go out first.
    if (this.#socket === null || this.#socket !== socket || bytes.length > MAX_FRAMED_BYTES)
      return this.#writeUsual(bytes);
    // What comes in one read leaves in one write; nothing waits longer than that.
    if (socket.writableCorked === 0) {
      socket.cork();
      process.nextTick(uncork, socket);
    }
    return socket.write(framed(bytes));
  }

  /** The answer is over: the connection may serve other requests. */
  release(): void {
    this.#socket?.off("drain", this.onDrain);
    this.#socket = null;
  }

  #writeUsual(bytes: Buffer): boolean {
    const { res } = this;
    if (!this.#listensToResponse) {
      this.#listensToResponse = true;
      res.on("drain", this.onDrain);
    }
    const keepsUp = res.write(bytes);
    if (this.#socket === null && res.chunkedEncoding && res.socket !== null) {
      this.#socket = res.socket;
      res.socket.on("drain", this.onDrain);
    }
    return keepsUp;
  }
}

function uncork(socket: Socket): void {
  socket.uncork();
}

function framed(bytes: Buffer): Buffer {
  const length = bytes.length.toString(16);
  const start = length.length + 2;
  const frame = Buffer.allocUnsafe(start + bytes.length + 2);
  frame.write(length, 0, "latin1");
  frame[start - 2] = CR;
  frame[start - 1] = LF;
  bytes.copy(frame, start);
  frame[start + bytes.length] = CR;
  frame[start + bytes.length + 1] = LF;
  return frame;
}
