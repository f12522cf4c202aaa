/** A public trace of real traffic: when requests came, how long their prompts and answers were. */
import { readFileSync } from "node:fs";

export interface TraceRow {
  /** Milliseconds after the first row, 0 or more, never decreasing. */
  readonly atMs: number;
  readonly promptTokens: number;
  readonly answerTokens: number;
}

/**
 * Reads the form of the Azure traces, `TIMESTAMP,ContextTokens,GeneratedTokens`.
 * @throws Error naming the line that is not of that form.
 */
export function parseTrace(csv: string): TraceRow[] {
  const [, ...lines] = csv.trim().split(/\r?\n/);
  let firstMs: number | undefined;
  return lines.map((line, index) => {
    const [time = "", prompt, answer] = line.split(",");
    // Seven decimals are more than Date reads; milliseconds are enough.
    const ms = Date.parse(`${time.replace(" ", "T").slice(0, 23)}Z`);
    const row = { promptTokens: Number(prompt), answerTokens: Number(answer) };
    if (Number.isNaN(ms) || !(row.promptTokens >= 0) || !(row.answerTokens >= 1)) {
      throw new Error(`line ${index + 2} is not time,prompt tokens,answer tokens: ${line}`);
    }
    firstMs ??= ms;
    return { atMs: ms - firstMs, ...row };
  });
}

export function readTrace(file: string): TraceRow[] {
  return parseTrace(readFileSync(file, "utf8"));
}
