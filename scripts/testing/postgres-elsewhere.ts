/** A Postgres from programs that are on this machine already, such as an older version that the product supports. */
import { execFileSync, spawn } from "node:child_process";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { freePort } from "../launch/addresses.mjs";
import { type Service, stopChild, untilListening } from "./services";

/** Postgres refuses to run as root; this is Debian's `nobody`. */
const NOBODY = { uid: 65_534, gid: 65_534 };

/** @param binDir folder with `initdb` and `postgres`, such as `/usr/lib/postgresql/15/bin`. */
export async function startPostgresFrom(binDir: string): Promise<Service> {
  const isRoot = process.getuid?.() === 0;
  const dir = mkdtempSync(path.join(tmpdir(), "obleth-pg-"));
  if (isRoot) chownSync(dir, NOBODY.uid, NOBODY.gid);
  const data = path.join(dir, "data");
  const options = { ...(isRoot ? NOBODY : {}), cwd: dir, env: { ...process.env, LC_ALL: "C" } };
  const init = ["-D", data, "-U", "obleth", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
  execFileSync(path.join(binDir, "initdb"), init, { ...options, stdio: ["ignore", "ignore", "inherit"] });
  const port = await freePort();
  const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=200", "fsync=off"];
  const args = ["-D", data, "-p", String(port), ...settings.flatMap((one) => ["-c", one])];
  const server = spawn(path.join(binDir, "postgres"), args, { ...options, stdio: "ignore" });
  await untilListening(server, port);
  return {
    url: `postgres://obleth@127.0.0.1:${port}/postgres`,
    async stop() {
      await stopChild(server, "SIGINT");
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
