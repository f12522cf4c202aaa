/** The bytes the benchmark's model server answers with, made once. */

const completion = JSON.stringify({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1_700_000_000,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "word ".repeat(60) }, finish_reason: "stop" }],
  usage: { prompt_tokens: 120, completion_tokens: 60, total_tokens: 180 },
});

export const COMPLETION = Buffer.from(
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nserver: stub\r\nx-request-id: abc\r\n` +
    `content-length: ${completion.length}\r\n\r\n${completion}`,
);

export const STREAM_HEAD = Buffer.from(
  "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ncache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n",
);

const PREPARED = 64;
const chunks = Array.from({ length: PREPARED }, (_, i) =>
  httpChunk(sse({ choices: [{ index: 0, delta: { content: ` word${i}` }, finish_reason: null }] })),
);

export function streamChunk(index: number): Buffer {
  return chunks[index % PREPARED] as Buffer;
}

export const STREAM_USAGE = Buffer.concat([
  httpChunk(sse({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })),
  httpChunk(sse({ choices: [], usage: { prompt_tokens: 120, completion_tokens: 60, total_tokens: 180 } })),
]);

export const STREAM_END = Buffer.concat([httpChunk("data: [DONE]\n\n"), Buffer.from("0\r\n\r\n")]);

/** Time between two events of one stream, ms. */
const GAP_MS = 20;

export function chunkEvery(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, GAP_MS));
}

function sse(fields: object): string {
  return `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_700_000_000, model: "m", ...fields })}\n\n`;
}

function httpChunk(text: string): Buffer {
  return Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
}
