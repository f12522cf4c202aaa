/** The published sizes that the agents' evaluation plays: steps of agent sessions, and requests that stand alone. */
import { readFileSync } from "node:fs";

/** Characters that count as one token. */
const CHARS_PER_TOKEN = 4;

export interface Call {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Each session's steps in order; each step's prompt begins with the whole prompt of the one before. */
export function loadSessions(): Call[][] {
  const sessions = new Map<string, Call[]>();
  for (const [session = "", , inputChars, outputChars] of rowsOf("agents.csv")) {
    const steps = sessions.get(session) ?? [];
    sessions.set(session, steps);
    steps.push({
      inputTokens: Math.ceil(Number(inputChars) / CHARS_PER_TOKEN),
      outputTokens: Math.ceil(Number(outputChars) / CHARS_PER_TOKEN),
    });
  }
  return [...sessions.values()];
}

export function loadOneShots(): Call[] {
  return rowsOf("one-shots.csv").map(([input, output]) => ({
    inputTokens: Number(input),
    outputTokens: Number(output),
  }));
}

function rowsOf(file: string): string[][] {
  return readFileSync(new URL(`./data/${file}`, import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .slice(1)
    .map((line) => line.split(","));
}
