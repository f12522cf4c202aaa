/** OpenAI embeddings: `POST /v1/embeddings`. A prompt is read, nothing is written. */
import type { Backend } from "./backend";
import { openAiProblem } from "./dialects/openai-shapes";
import { markerOf } from "./dialects/prompt";
import type { Exchange } from "./exchange";
import { countOf, parseObject, stringOf } from "./json";
import { hash32, seededRandom } from "./random";
import { firstTokenMs } from "./service-time";
import { countTokens } from "./tokens";

const DEFAULT_DIMENSIONS = 64;
const MAX_DIMENSIONS = 4096;

export async function serveEmbeddings(backend: Backend, exchange: Exchange): Promise<void> {
  const bytes = await exchange.readBody();
  if (bytes === undefined) return exchange.sendJson(413, openAiProblem(413, "the body is too large"));
  const body = parseObject(bytes);
  if (!body.ok) return exchange.sendJson(400, openAiProblem(400, body.problem));
  const model = stringOf(body.value.model);
  const inputs = readInputs(body.value.input);
  if (model === "" || inputs === undefined) {
    return exchange.sendJson(400, openAiProblem(400, "model and input are required"));
  }
  const marker = stringOf(exchange.request.headers["x-sim-tenant"]) || markerOf(body.value);
  backend.census.identify(exchange.visit, { model, marker });

  const promptTokens = inputs.reduce((sum, input) => sum + countTokens(input), 0);
  exchange.visit.promptTokens = promptTokens;
  const { settings } = backend;
  await backend.pace.wait(firstTokenMs(settings, { promptTokens, cachedTokens: 0 }) / settings.speed, exchange.gone);
  if (exchange.gone.aborted) return;

  const dimensions = Math.min(countOf(body.value.dimensions) ?? DEFAULT_DIMENSIONS, MAX_DIMENSIONS);
  const data = inputs.map((input, index) => {
    const values = vector(input, { seed: settings.seed, dimensions });
    const embedding =
      body.value.encoding_format === "base64" ? Buffer.from(values.buffer).toString("base64") : [...values];
    return { object: "embedding", index, embedding };
  });
  const usage = { prompt_tokens: promptTokens, total_tokens: promptTokens };
  exchange.sendJson(200, { object: "list", data, model, usage });
}

/** A string, a list of strings, a list of token ids, or a list of such lists. */
function readInputs(input: unknown): string[] | undefined {
  if (typeof input === "string") return [input];
  if (!Array.isArray(input) || input.length === 0) return undefined;
  if (input.every((one) => typeof one === "number")) return [input.join(" ")];
  return input.map((one) => (typeof one === "string" ? one : JSON.stringify(one)));
}

/** A unit vector that depends on the text and the seed alone. */
function vector(text: string, options: { seed: number; dimensions: number }): Float32Array {
  const random = seededRandom(hash32(text, options.seed));
  const raw = Array.from({ length: options.dimensions }, () => random() * 2 - 1);
  const norm = Math.hypot(...raw) || 1;
  return Float32Array.from(raw, (value) => value / norm);
}
