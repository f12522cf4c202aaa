/**
 * The life of one inference request, in either protocol: read, perhaps fail as scripted, read the prompt at the model's
 * speed, write the answer at the model's speed.
 */
import type { Backend } from "./backend";
import type { Ask, Dialect, Reply } from "./dialects/dialect";
import type { Exchange } from "./exchange";
import { type Fault, readFault } from "./faults";
import { parseObject, stringOf } from "./json";
import { firstTokenMs, tokenMs } from "./service-time";
import { answerLength, answerWords, countTokens } from "./tokens";

/** Serves `exchange` to its end. Returns when the answer is written, the caller is gone, or the fault has run. */
export async function serveInference(backend: Backend, exchange: Exchange, dialect: Dialect): Promise<void> {
  const body = await readAsk(exchange, dialect);
  if (body === undefined) return;
  const { ask, ownFault } = body;
  const marker = stringOf(exchange.request.headers["x-sim-tenant"]) || ask.marker;
  backend.census.identify(exchange.visit, { model: ask.model, marker });
  const fault = ownFault ?? backend.faults.take(ask.model);
  if (fault !== undefined && (await failAtOnce(backend, exchange, fault))) return;

  const reply = await readPrompt(backend, exchange, { ask, fault });
  if (exchange.gone.aborted) return;
  if (ask.isStream) await stream(backend, exchange, { dialect, reply, fault });
  else await answerWhole(backend, exchange, { dialect, reply, fault });
}

async function readAsk(exchange: Exchange, dialect: Dialect) {
  const bytes = await exchange.readBody();
  if (bytes === undefined) {
    if (!exchange.gone.aborted)
      exchange.sendJson(413, dialect.problem(413, "the body is too large"), { connection: "close" });
    return undefined;
  }
  const body = parseObject(bytes);
  const ask = body.ok ? dialect.read(body.value) : body;
  const fault = body.ok && body.value.sim_fault !== undefined ? readFault(body.value.sim_fault) : undefined;
  if (!ask.ok) return exchange.sendJson(400, dialect.problem(400, ask.problem));
  if (fault?.ok === false) return exchange.sendJson(400, dialect.problem(400, fault.problem));
  return { ask: ask.value, ownFault: fault?.value };
}

/** Plays faults that replace the answer; false when the request goes on. */
async function failAtOnce(backend: Backend, exchange: Exchange, fault: Fault): Promise<boolean> {
  switch (fault.kind) {
    case "status":
      exchange.isFailure = true;
      exchange.response.writeHead(fault.status, { "content-type": "application/json", ...fault.headers });
      exchange.response.end(fault.body);
      return true;
    case "hang":
      return true;
    case "slow":
      await backend.pace.wait(fault.delayMs, exchange.gone);
      return exchange.gone.aborted;
    case "reset":
      if (fault.afterChunks > 0) return false;
      exchange.reset();
      return true;
    default:
      return false;
  }
}

/** Waits out the time to first token and settles how long the answer will be. */
async function readPrompt(
  backend: Backend,
  exchange: Exchange,
  work: { ask: Ask; fault: Fault | undefined },
): Promise<Reply> {
  const { ask, fault } = work;
  const { settings, pace } = backend;
  const cache = backend.cacheOf(ask.model);
  const promptTokens = countTokens(ask.prompt);
  const cachedTokens = Math.min(promptTokens, cache.lookUp(ask.prompt));
  exchange.visit.promptTokens = promptTokens;
  exchange.visit.cachedTokens = cachedTokens;
  if (fault?.kind !== "drip") {
    await pace.wait(firstTokenMs(settings, { promptTokens, cachedTokens }) / settings.speed, exchange.gone);
  }
  cache.store(ask.prompt, settings.cacheTokens);
  const length =
    fault?.kind === "drip"
      ? { tokens: fault.chunks, isCut: false }
      : answerLength(settings, { prompt: ask.prompt, limit: ask.limit, exact: ask.isExact });
  return {
    id: `sim${exchange.visit.id}`,
    ask,
    createdSecs: Math.floor(Date.now() / 1000),
    promptTokens,
    cachedTokens,
    outputTokens: ask.tool === null ? length.tokens : toolPieces(ask.tool.argumentsJson).length,
    isCut: length.isCut,
  };
}

interface Answer {
  readonly dialect: Dialect;
  readonly reply: Reply;
  readonly fault: Fault | undefined;
}

async function answerWhole(backend: Backend, exchange: Exchange, answer: Answer): Promise<void> {
  const parts: string[] = [];
  for await (const words of write(backend, exchange, answer)) parts.push(...words);
  if (exchange.gone.aborted) return;
  exchange.visit.outputTokens = parts.length;
  switch (answer.fault?.kind) {
    case "garbage":
      exchange.isFailure = true;
      exchange.response.writeHead(200, { "content-type": "application/json" });
      exchange.response.end("<html>this is not the protocol</html>");
      return;
    case "reset":
      return exchange.reset();
    case "stall":
      return;
    case "close":
      exchange.isFailure = true;
      exchange.response.writeHead(200, { "content-type": "application/json" });
      exchange.response.end("");
      return;
    default:
      exchange.sendJson(200, answer.dialect.whole(answer.reply, parts.join("")));
  }
}

async function stream(backend: Backend, exchange: Exchange, answer: Answer): Promise<void> {
  const { dialect, reply, fault } = answer;
  exchange.openStream();
  if (fault?.kind === "garbage") {
    exchange.isFailure = true;
    exchange.response.end("data: {not json\n\nnonsense\n\n");
    return;
  }
  const breaksAfter = fault !== undefined && "afterChunks" in fault ? fault.afterChunks : Number.POSITIVE_INFINITY;
  await exchange.write(dialect.opening(reply));
  let sent = 0;
  for await (const words of write(backend, exchange, answer)) {
    const allowed = words.slice(0, Math.max(0, breaksAfter - sent));
    sent += allowed.length;
    exchange.visit.outputTokens = sent;
    await exchange.write(allowed.map((word) => dialect.piece(reply, word)).join(""));
    if (sent >= breaksAfter) break;
  }
  if (exchange.gone.aborted) return;
  switch (fault?.kind) {
    case "reset":
      return exchange.reset();
    case "stall":
      return;
    case "close":
      exchange.isFailure = true;
      exchange.end();
      return;
    default:
      exchange.response.end(dialect.closing(reply));
  }
}

/**
 * The answer's tokens as they fall due, those due together in one batch. Stops when the caller is gone. Each token's time
 * follows the crowd and the settings of that moment; the schedule is absolute, so late timers do not add up.
 */
async function* write(backend: Backend, exchange: Exchange, answer: Answer): AsyncGenerator<string[]> {
  const { ask, outputTokens } = answer.reply;
  const { pace } = backend;
  const words =
    ask.tool === null
      ? answerWords({ seed: backend.settings.seed, prompt: ask.prompt, count: outputTokens })
      : toolPieces(ask.tool.argumentsJson);
  let dueMs = pace.nowMs();
  let batch: string[] = [];
  for (const word of words) {
    const { settings, census } = backend;
    dueMs +=
      answer.fault?.kind === "drip"
        ? answer.fault.gapMs
        : tokenMs(settings, census.runningOf(exchange.visit.model)) / settings.speed;
    const aheadMs = dueMs - pace.nowMs();
    if (aheadMs >= 1) {
      if (batch.length > 0) yield batch;
      batch = [];
      await pace.wait(aheadMs, exchange.gone);
    }
    if (exchange.gone.aborted) return;
    batch.push(word);
  }
  if (batch.length > 0) yield batch;
}

/** A tool call's arguments in pieces of a few characters, as real servers stream them. */
function toolPieces(json: string): string[] {
  return json.match(/[\s\S]{1,6}/g) ?? [];
}
