/** Clients that behave like the scenario says, until told to stop. */
import type { Traffic } from "./scenario";

export interface Target {
  readonly url: string;
  readonly secret: string;
  readonly model: string;
}

const CHARS_PER_TOKEN = 4;
/** After an error a client waits this long, as a well-behaved SDK would. */
const RETRY_MS = 3000;

/** Runs the clients of one line of the scenario. Resolves when `signal` aborts and all have ended. */
export async function runTraffic(traffic: Traffic, target: Target, signal: AbortSignal): Promise<void> {
  await Promise.all(
    Array.from({ length: traffic.clients }, (_, i) => runClient(traffic, target, { signal, number: i })),
  );
}

async function runClient(
  traffic: Traffic,
  target: Target,
  run: { signal: AbortSignal; number: number },
): Promise<void> {
  const { signal, number } = run;
  // Clients of one tenant do not march in step.
  await pause(Math.random() * 1000, signal);
  for (let step = 0; !signal.aborted; step++) {
    if (!isSending(traffic)) {
      await pause(500 + Math.random() * 500, signal);
      continue;
    }
    const steps = traffic.sessionSteps ?? 1;
    const session = `${traffic.tenant}-${number}-${Math.floor(step / steps)}`;
    const isAnswered = await send(traffic, target, { session, step: step % steps, signal });
    await pause(isAnswered ? thinkTime(traffic) : RETRY_MS, signal);
  }
}

function isSending({ burst }: Traffic): boolean {
  return burst === undefined || (Date.now() / 1000) % burst.everySecs < burst.onSecs;
}

/** Exponential pauses: many short, a few long. */
function thinkTime(traffic: Traffic): number {
  return -Math.log(1 - Math.random()) * traffic.thinkMs;
}

async function send(
  traffic: Traffic,
  target: Target,
  call: { session: string; step: number; signal: AbortSignal },
): Promise<boolean> {
  const isEmbedding = traffic.answerTokens === 0;
  const prompt = promptText(call.session, (traffic.promptTokens + call.step * 200) * CHARS_PER_TOKEN);
  const body = isEmbedding
    ? { model: target.model, input: prompt }
    : {
        model: target.model,
        messages: [{ role: "user", content: prompt }],
        max_tokens: Math.round(traffic.answerTokens * (0.5 + Math.random())),
        ignore_eos: true,
        stream: true,
      };
  const headers: Record<string, string> = {
    authorization: `Bearer ${target.secret}`,
    "content-type": "application/json",
    ...(traffic.sessionSteps === undefined ? {} : { "x-session-id": call.session }),
  };
  try {
    const response = await fetch(`${target.url}/v1/${isEmbedding ? "embeddings" : "chat/completions"}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
      signal: call.signal,
    });
    for await (const _ of response.body ?? []) if (call.signal.aborted) return false;
    return response.ok;
  } catch {
    return false;
  }
}

/** A conversation's own text; a longer one of the same session begins like the shorter. */
function promptText(session: string, length: number): string {
  return `Conversation ${session}. Continue from where we stopped. `.repeat(Math.ceil(length / 40)).slice(0, length);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
  });
}
