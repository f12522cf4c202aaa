/** Where a command writes and whom it asks: results to the output, remarks and questions beside it. */
import { once } from "node:events";
import { createInterface } from "node:readline/promises";
import { usageError } from "../failure";

export interface Terminal {
  /** Lines of the result. */
  print(...lines: readonly string[]): void;
  /** Lines for the person, not for a program that reads the result. */
  remark(...lines: readonly string[]): void;
  /** Cells a line may take; null when the output is no terminal. */
  readonly width: number | null;
  /** Asks and gives the answer; refuses when nobody is there, saying that `instead` would do. */
  ask(question: string, instead: string): Promise<string>;
}

export function processTerminal(): Terminal {
  const { stdin, stdout, stderr } = process;
  return {
    print: (...lines) => void stdout.write(lines.map((line) => `${line}\n`).join("")),
    remark: (...lines) => void stderr.write(lines.map((line) => `${line}\n`).join("")),
    get width() {
      return stdout.isTTY ? stdout.columns : null;
    },
    ask: async (question, instead) => {
      if (!stdin.isTTY || !stderr.isTTY) throw usageError("There is nobody here to ask.", `Say it with ${instead}.`);
      const reader = createInterface({ input: stdin, output: stderr });
      try {
        // Ctrl-C and Ctrl-D close the reader, which then never answers.
        const closed = once(reader, "close").then(() => "");
        return (await Promise.race([reader.question(`${question} `), closed])).trim();
      } finally {
        reader.close();
      }
    },
  };
}
