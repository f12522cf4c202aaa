/**
 * The model server of the benchmarks: answers as fast as a single thread can, with prepared bytes. A body that asks for a
 * stream gets `X-Chunks` events; others get a small completion.
 */
import { createServer, type Socket } from "node:net";
import { COMPLETION, chunkEvery, STREAM_END, STREAM_HEAD, STREAM_USAGE, streamChunk } from "./answers";
import { reportReady } from "./control";

const HEAD_END = Buffer.from("\r\n\r\n");
const NUMBER_OF_CHUNKS = /x-chunks: (\d+)/i;
const HOLD_MS = /x-hold-ms: (\d+)/i;
const LENGTH = /content-length: (\d+)/i;

const server = createServer((socket) => {
  socket.setNoDelay(true);
  socket.on("error", () => {});
  let buffered: Buffer | null = null;
  socket.on("data", (data: Buffer) => {
    const bytes: Buffer = buffered === null ? data : Buffer.concat([buffered, data]);
    buffered = null;
    const headEnd = bytes.indexOf(HEAD_END);
    if (headEnd < 0) {
      buffered = bytes;
      return;
    }
    const head = bytes.toString("latin1", 0, headEnd);
    const total = headEnd + 4 + Number(LENGTH.exec(head)?.[1] ?? 0);
    if (bytes.length < total) buffered = bytes;
    else answer(socket, head, bytes);
  });
});

function answer(socket: Socket, head: string, bytes: Buffer): void {
  const hold = HOLD_MS.exec(head);
  if (hold !== null) setTimeout(() => socket.write(COMPLETION), Number(hold[1]));
  else if (bytes.includes('"stream":true')) void stream(socket, Number(NUMBER_OF_CHUNKS.exec(head)?.[1] ?? 20));
  else socket.write(COMPLETION);
}

async function stream(socket: Socket, count: number): Promise<void> {
  socket.write(STREAM_HEAD);
  for (let i = 0; i < count; i++) {
    await chunkEvery();
    socket.write(streamChunk(i));
  }
  socket.write(STREAM_USAGE);
  socket.write(STREAM_END);
}

server.listen(0, "127.0.0.1", () => reportReady(server));
