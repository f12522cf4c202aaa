import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { processEnvironment } from "../environment";
import { processTerminal } from "../output/terminal";
import { makeProgram } from "../program";
import { Session } from "../session";
import { completionScript, placesOf } from "./completion";

const places = placesOf(makeProgram(new Session(processEnvironment(), processTerminal())));

/** How each shell is asked what it offers for a line whose last word is being typed. */
const SHELLS = {
  bash: (file: string, words: readonly string[]) => [
    "-c",
    `source ${file}; COMP_WORDS=(obleth "$@"); COMP_CWORD=$#; _obleth; printf '%s\\n' "\${COMPREPLY[@]}"`,
    "bash",
    ...words,
  ],
  // As its bashcompinit calls a function of bash's.
  zsh: (file: string, words: readonly string[]) => [
    "-fc",
    `compdef() {}; source ${file}; setopt ksharrays shwordsplit
     COMP_WORDS=(obleth "$@"); COMP_CWORD=$#; _obleth; printf '%s\\n' "\${COMPREPLY[@]}"`,
    "zsh",
    ...words,
  ],
  fish: (file: string, words: readonly string[]) => [
    "-Nc",
    `source ${file}; complete -C "obleth $argv" | string split -f 1 \\t`,
    "--",
    ...words,
  ],
} as const;
type Shell = keyof typeof SHELLS;

/** Those of this machine; bash is everywhere. */
const installed = (Object.keys(SHELLS) as Shell[]).filter((shell) => spawnSync(shell, ["-c", "true"]).status === 0);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "obleth-completion-"));
  for (const shell of installed) writeFileSync(path.join(folder, shell), completionScript(shell, places));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe.each(installed)("completion in %s", (shell) => {
  const offered = (...words: string[]) => {
    const args = SHELLS[shell](path.join(folder, shell), words);
    const lines = execFileSync(shell, args, { encoding: "utf8", env: { ...process.env, HOME: folder } });
    // zsh is given all that may follow, and picks what fits itself.
    const fits = (word: string) => word.startsWith(words.at(-1) ?? "");
    return lines.trim().split("\n").filter(fits);
  };

  it("offers commands, then what each takes", () => {
    expect(offered("te")).toEqual(["tenants"]);
    expect(offered("tenants", "")).toEqual(expect.arrayContaining(["list", "get", "create", "set", "delete"]));
    expect(offered("config", "")).toContain("check");
    expect(offered("keys", "rotate", "--ov")).toEqual(["--overlap"]);
  });

  it("sees past options that stand before the command", () => {
    expect(offered("--json", "--url", "http://a", "boosts", "cr")).toEqual(["create"]);
  });

  it("offers the options that hold everywhere", () => {
    expect(offered("tenants", "list", "--js")).toEqual(["--json"]);
  });
});

describe("completion", () => {
  it("knows every command in each shell", () => {
    expect(installed).toContain("bash");
    for (const shell of Object.keys(SHELLS) as Shell[]) {
      const script = completionScript(shell, places);
      for (const { path } of places) expect(script).toContain(`'${path}'`);
    }
  });
});
