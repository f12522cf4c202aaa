/** Scripts for `ScriptedUpstream`: the answers of healthy, slow and broken model servers. */
import type { Script, ScriptedAnswer } from "./scripted-upstream";

/** A complete answer with a JSON body. */
export function json(body: unknown, { status = 200, headers = [] as string[] } = {}): Script {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return (answer) => answer.write(response(text, { status, headers: ["content-type: application/json", ...headers] }));
}

export function response(body: string | Buffer, { status = 200, headers = [] as string[] } = {}): Buffer {
  const head = [`HTTP/1.1 ${status} X`, ...headers, `content-length: ${Buffer.byteLength(body)}`, "", ""].join("\r\n");
  return Buffer.concat([Buffer.from(head), Buffer.from(body)]);
}

export const USAGE = {
  prompt_tokens: 11,
  completion_tokens: 7,
  total_tokens: 18,
  prompt_tokens_details: { cached_tokens: 4 },
};

export function completion(content: string, usage: unknown = USAGE): object {
  const message = { role: "assistant", content };
  return {
    id: "c1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, message, finish_reason: "stop" }],
    usage,
  };
}

export const STREAM_HEAD = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
export const LAST_CHUNK = "0\r\n\r\n";

/** One HTTP chunk. */
export function chunk(bytes: string | Buffer): Buffer {
  const body = Buffer.from(bytes);
  return Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from("\r\n")]);
}

export function event(data: unknown): string {
  return `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}

export function delta(content: string, finish: string | null = null): object {
  return {
    id: "c1",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta: { content }, finish_reason: finish }],
  };
}

export function usageChunk(usage: unknown = USAGE): object {
  return { id: "c1", object: "chat.completion.chunk", created: 1, model: "m", choices: [], usage };
}

/** A stream of these events, each in a chunk of its own, `gapMs` apart, then a proper end. */
export function stream(events: readonly string[], { gapMs = 0, head = STREAM_HEAD } = {}): Script {
  return async (answer) => {
    await answer.write(head);
    for (const text of events) {
      if (gapMs > 0) await answer.pause(gapMs);
      if (answer.isGone) return;
      await answer.write(chunk(text));
    }
    await answer.write(LAST_CHUNK);
  };
}

/** A chat stream of `words`, asked for usage or not. */
export function chatStream(words: readonly string[], options: { gapMs?: number } = {}): Script {
  return (answer) => {
    const asksUsage = wantsUsage(answer);
    const events = [...words.map((word) => event(delta(word))), event(delta("", "stop"))];
    if (asksUsage) events.push(event(usageChunk()));
    return stream([...events, event("[DONE]")], options)(answer);
  };
}

export function wantsUsage({ request }: ScriptedAnswer): boolean {
  const body = JSON.parse(request.body.toString()) as { stream_options?: { include_usage?: boolean } };
  return body.stream_options?.include_usage === true;
}

/** Sends `n` chunks without an end, then does something to the connection. */
export function breaksAfter(n: number, how: "reset" | "close"): Script {
  return async (answer) => {
    await answer.write(STREAM_HEAD);
    for (let i = 0; i < n; i++) await answer.write(chunk(event(delta(`w${i}`))));
    await answer.pause(20);
    answer[how]();
  };
}
