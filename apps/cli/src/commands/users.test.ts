import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Command } from "commander";
import { expect, it } from "vitest";
import { processEnvironment } from "../environment";
import { processTerminal } from "../output/terminal";
import { makeProgram } from "../program";
import { Session } from "../session";

const PAGES = path.resolve(import.meta.dirname, "../../../dashboard/src");

/** Command lines on the dashboard's pages, such as `obleth users reset-link you@example.com`. */
function typedOnPages(): string[][] {
  return readdirSync(PAGES, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".tsx"))
    .flatMap((file) => [
      ...readFileSync(path.join(PAGES, file), "utf8").matchAll(/^\s*(?:npx )?obleth ([a-z][^<\n]*)$/gm),
    ])
    .map(([, words]) => (words ?? "").trim().split(" "));
}

/** The command that the words begin with, as far as they name commands. */
function commandOf(program: Command, words: readonly string[]): string {
  const [first, ...rest] = words;
  const found = program.commands.find((command) => command.name() === first);
  return found === undefined ? "" : `${first} ${commandOf(found, rest)}`.trim();
}

it("what a page tells people to type is a command", () => {
  const program = makeProgram(new Session(processEnvironment(), processTerminal()));
  const typed = typedOnPages();
  expect(typed.map((words) => commandOf(program, words))).toContain("users reset-link");
  for (const words of typed) expect(commandOf(program, words), words.join(" ")).not.toBe("");
});
