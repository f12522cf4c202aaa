/**
 * Loads the `.lua` files and runs them by their SHA. A server that does not know a script (flushed, failed over,
 * restarted) answers NOSCRIPT without having run anything, and gets the text instead.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { RedisClient } from "./connect";

/** Each script with the shared parts put before it, in order. */
export const SCRIPTS = {
  slots: ["_prelude", "_books", "slots"],
  heartbeat: ["_prelude", "_books", "heartbeat"],
  leave: ["_prelude", "_books", "leave"],
  spend: ["_prelude", "_accounts", "spend"],
  settle: ["_prelude", "_accounts", "settle"],
} as const satisfies Record<string, readonly string[]>;

/** A script by the name of its file. */
export type ScriptName = keyof typeof SCRIPTS;

/** A script's text and the name that Redis keeps it under. */
interface LoadedScript {
  readonly text: string;
  readonly sha: string;
}

/** Runs one script on Redis. Rejects with the server's or the connection's error. */
export interface ScriptRunner {
  /** The script's reply as the client decodes it; whoever calls reads it. `keys` are all the keys it may touch. */
  run(name: ScriptName, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>;
}

/** Runs scripts on one client; loads a script anew on a server that does not know it. */
export class RedisScripts implements ScriptRunner {
  readonly #client: RedisClient;
  readonly #scripts: ReadonlyMap<ScriptName, LoadedScript>;

  /** `rewrite` lets a test put another clock into the scripts. */
  constructor(client: RedisClient, rewrite: (text: string) => string = (text) => text) {
    this.#client = client;
    this.#scripts = new Map(scriptNames().map((name) => [name, load(name, rewrite)]));
  }

  /** One round trip; two on a server that does not know the script yet. */
  async run(name: ScriptName, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    const script = this.#scripts.get(name);
    if (script === undefined) throw new Error(`no script ${name}`);
    try {
      return await this.#client.evalsha(script.sha, keys.length, ...keys, ...args);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith("NOSCRIPT")) throw error;
      return await this.#client.eval(script.text, keys.length, ...keys, ...args);
    }
  }
}

/** The names of all scripts. */
export function scriptNames(): ScriptName[] {
  return Object.keys(SCRIPTS) as ScriptName[];
}

/** The whole text that Redis gets, shared parts included. */
export function scriptText(name: ScriptName): string {
  return SCRIPTS[name].map((part) => readFileSync(`${luaDirectory()}${part}.lua`, "utf8")).join("\n");
}

/** Reads a script from its files, with its SHA. Throws when a file is missing: the program is not complete then. */
function load(name: ScriptName, rewrite: (text: string) => string): LoadedScript {
  const text = rewrite(scriptText(name));
  return { text, sha: createHash("sha1").update(text).digest("hex") };
}

/** `packages/cluster/lua` in the source tree; the folder `lua` beside the file when bundled. */
function luaDirectory(): string {
  for (const relative of ["../../lua/", "./lua/"]) {
    const path = fileURLToPath(new URL(relative, import.meta.url));
    if (existsSync(`${path}_prelude.lua`)) return path;
  }
  throw new Error("the Redis scripts (.lua files) are missing beside the program");
}
