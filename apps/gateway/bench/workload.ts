/** The requests of the benchmarks. */
import { SECRET } from "../src/proxy/testing/rig";

export interface RequestShape {
  /** Events to stream; 0 asks for a plain answer. */
  readonly chunks?: number;
  /** The model server keeps the request this long before it answers. */
  readonly holdMs?: number;
  readonly headers?: readonly string[];
}

/** A chat request of about one kilobyte, as an SDK sends it. */
export function chatRequest({ chunks = 0, holdMs = 0, headers = [] }: RequestShape = {}): string {
  const body = JSON.stringify({
    model: "m",
    messages: [
      { role: "system", content: "You are a helpful assistant. ".repeat(10) },
      { role: "user", content: "word ".repeat(120) },
    ],
    max_tokens: chunks > 0 ? chunks : 100,
    temperature: 0.7,
    ...(chunks > 0 ? { stream: true } : {}),
    ...(holdMs > 0 ? { user: `hold-${holdMs}` } : {}),
  });
  const lines = [
    "POST /v1/chat/completions HTTP/1.1",
    "host: localhost:8080",
    `authorization: Bearer ${SECRET}`,
    "content-type: application/json",
    "accept: application/json",
    "user-agent: OpenAI/JS 6.49.0",
    "x-stainless-lang: js",
    "x-stainless-runtime: node",
    ...headers,
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}
