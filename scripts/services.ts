/**
 * Runs a Node program with a real Postgres and a real Redis beside it, named in TEST_PG_URL and TEST_REDIS_URL; servers
 * that those variables already name are used as they are, and PG_BIN names the folder of another Postgres than the
 * product's own. Without a program it keeps the servers up until Ctrl-C: `npx tsx scripts/services.ts`.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { exitWith } from "./launch/refusal.mjs";
import { startPostgresFrom } from "./testing/postgres-elsewhere";
import { type Service, startPostgres, startRedis } from "./testing/services";

await exitWith(async () => {
  const started: Service[] = [];
  const pgBin = process.env.PG_BIN;
  const use = async (variable: string, start: () => Promise<Service>) => {
    const given = process.env[variable];
    if (given !== undefined && given !== "") return given;
    const service = await start();
    started.push(service);
    return service.url;
  };
  try {
    const env = {
      TEST_PG_URL: await use("TEST_PG_URL", () => (pgBin ? startPostgresFrom(pgBin) : startPostgres())),
      TEST_REDIS_URL: await use("TEST_REDIS_URL", startRedis),
    };
    const command = process.argv.slice(2);
    return command.length === 0 ? await keepUp(env) : await runBeside(command, env);
  } finally {
    await Promise.all(started.map((service) => service.stop()));
  }
});

async function keepUp(env: Record<string, string>): Promise<number> {
  for (const [name, value] of Object.entries(env)) console.log(`export ${name}=${value}`);
  const holder = setInterval(() => undefined, 60_000);
  await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  clearInterval(holder);
  return 0;
}

async function runBeside(command: string[], env: Record<string, string>): Promise<number> {
  const child = spawn(process.execPath, command, { stdio: "inherit", env: { ...process.env, ...env } });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
  const [code] = await once(child, "exit");
  return typeof code === "number" ? code : 1;
}
