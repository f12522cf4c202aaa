/**
 * The model server of the benchmarks: answers as fast as a single thread can, with prepared bytes. A body that asks for a
 * stream gets as many events as its `max_tokens`; one whose `user` is `hold-N` is kept for N ms; others get a small
 * completion at once. It is told by the body, because not every gateway passes unknown headers on.
 */
import { createServer, type Socket } from "node:net";
import { COMPLETION, chunkEvery, STREAM_END, STREAM_HEAD, STREAM_USAGE, streamChunk } from "./answers";
import { reportReady } from "./control";

const HEAD_END = Buffer.from("\r\n\r\n");
const NUMBER_OF_CHUNKS = /"max_tokens":(\d+)/;
const HOLD_MS = /"user":"hold-(\d+)"/;
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
    else answer(socket, bytes.toString("latin1", headEnd));
  });
});

function answer(socket: Socket, body: string): void {
  const hold = HOLD_MS.exec(body);
  if (hold !== null) setTimeout(() => socket.write(COMPLETION), Number(hold[1]));
  else if (body.includes('"stream":true')) void stream(socket, Number(NUMBER_OF_CHUNKS.exec(body)?.[1] ?? 20));
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
