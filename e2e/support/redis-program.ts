/** Which Redis the tests start, and how it is known to be up. */
import { existsSync } from "node:fs";
import { connect } from "node:net";
import path from "node:path";

export interface RedisProgram {
  readonly server: string;
  /** Sends it commands. */
  readonly cli: string;
}

/** By preference; Valkey stands in for Redis. */
const NAMES = ["redis", "valkey"] as const;

/**
 * The one that REDIS_SERVER_BIN names, with the client beside it, else the first on PATH; undefined when there is none. A
 * name that is set and cannot be used is an error: tests on another server than the one asked for would say nothing.
 */
export function findRedisProgram(
  env: Readonly<Record<string, string | undefined>> = process.env,
): RedisProgram | undefined {
  const given = env.REDIS_SERVER_BIN ?? "";
  if (given !== "") {
    const program = { server: given, cli: given.replace(/-server$/, "-cli") };
    const isUsable = path.isAbsolute(given) && program.cli !== given && existsSync(given) && existsSync(program.cli);
    if (isUsable) return program;
    throw new Error(
      `REDIS_SERVER_BIN must be the full path of a redis-server or valkey-server with its redis-cli or valkey-cli beside it; it is ${given}.`,
    );
  }
  const folders = (env.PATH ?? "").split(path.delimiter);
  for (const name of NAMES) {
    const folder = folders.find((one) => existsSync(path.join(one, `${name}-server`)));
    if (folder !== undefined) return { server: path.join(folder, `${name}-server`), cli: `${name}-cli` };
  }
  return undefined;
}

/** Whether something on this machine takes connections on `port`. */
export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
