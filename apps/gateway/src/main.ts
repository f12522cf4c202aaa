/** The gateway's process: settings, start, signals. Foreseen reasons not to start are one line each. */
import { type ReadSettings, readSettings, SettingsError } from "@obleth/config";
import { thisBuild } from "./boot/build";
import { runTask } from "./boot/tasks";
import { compose, type Gateway, newInstanceId } from "./compose";
import { startFailure } from "./errors";
import { makeLog } from "./log";

await main();

async function main(): Promise<void> {
  const read = settingsOrExit();
  const { settings, notices } = read;
  if (process.argv.length > 2) process.exit(await doTask(read));
  const instance = newInstanceId();
  const build = thisBuild();
  const { apiKeyPepper, upstreamApiKey, adminPassword } = settings;
  const logging = makeLog({
    level: settings.logLevel,
    instance,
    secrets: [apiKeyPepper, upstreamApiKey, adminPassword],
  });
  const { log } = logging;
  log.info({ version: build.version, node: process.version, pid: process.pid }, "gateway.starting");
  for (const { name, message } of notices) log.warn({ setting: name, message }, "settings.notice");
  const stopping = new AbortController();
  const starting = compose({ settings, logging, instance, build, stopping: stopping.signal });
  const exit = (code: number) => {
    logging.flush();
    process.exit(code);
  };
  let gateway: Gateway | undefined;
  let signals = 0;
  const onSignal = (signal: NodeJS.Signals) => {
    signals++;
    log.info({ signal }, signals === 1 ? "signal.stopping" : "signal.leaving");
    if (signals > 1) {
      gateway?.abandon();
      exit(1);
    }
    stopping.abort();
    void gateway?.shutDown().then(exit);
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, onSignal);
  process.on("uncaughtException", (error) => {
    log.error({ err: error }, "process.uncaught_exception");
    if (gateway === undefined) exit(1);
    // What state this left is not known: let what runs finish, and let another process take over.
    void gateway?.shutDown().then(() => exit(1));
  });
  process.on("unhandledRejection", (error) => log.error({ err: error }, "process.unhandled_rejection"));
  try {
    gateway = await starting;
    // Told to stop in the last moment of starting.
    if (stopping.signal.aborted) exit(await gateway.shutDown());
  } catch (error) {
    if (stopping.signal.aborted) exit(0);
    console.error(startFailure(error));
    exit(1);
  }
}

/** A task of the operator's instead of serving; answers with the exit code. */
async function doTask(read: ReadSettings): Promise<number> {
  try {
    console.log(await runTask(process.argv.slice(2), read));
    return 0;
  } catch (error) {
    console.error(startFailure(error));
    return 1;
  }
}

function settingsOrExit(): ReadSettings {
  try {
    return readSettings();
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    console.error(`obleth cannot start; ${error.problems.length} setting(s) cannot be used:\n${error.message}`);
    process.exit(1);
  }
}
