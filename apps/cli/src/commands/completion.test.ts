import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { processEnvironment } from "../environment";
import { processTerminal } from "../output/terminal";
import { makeProgram } from "../program";
import { Session } from "../session";
import { completionScript, placesOf } from "./completion";

const places = placesOf(makeProgram(new Session(processEnvironment(), processTerminal())));

/** What bash offers for a line whose last word is being typed. */
function offered(...words: string[]): string[] {
  const script = `${completionScript("bash", places)}
COMP_WORDS=(obleth "$@"); COMP_CWORD=$#; _obleth; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync("bash", ["-c", script, "bash", ...words], { encoding: "utf8" })
    .trim()
    .split("\n");
}

describe("completion in bash", () => {
  it("offers commands, then what each takes", () => {
    expect(offered("te")).toEqual(["tenants"]);
    expect(offered("tenants", "")).toEqual(expect.arrayContaining(["list", "get", "create", "set", "delete"]));
    expect(offered("config", "")).toContain("check");
    expect(offered("keys", "rotate", "--o")).toEqual(["--overlap"]);
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
    for (const shell of ["bash", "zsh", "fish"] as const) {
      const script = completionScript(shell, places);
      for (const { path } of places) expect(script).toContain(`'${path}'`);
    }
  });
});
