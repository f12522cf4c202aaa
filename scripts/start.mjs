/**
 * `npm start`: from a fresh clone to a running gateway and dashboard. Installs and builds what is missing or stale, starts
 * everything, says where it is, and stops it all on Ctrl-C.
 *
 *   --demo      live traffic from simulated tenants
 *   --empty     no sample data on a first run
 *   --dev       from source, restarting on change, logs in the terminal
 *   --prebuilt  neither installs nor builds (the tests have done so)
 */
import path from "node:path";
import { parseArgs } from "node:util";
import { readAddress, requireFree, urlOf } from "./launch/addresses.mjs";
import { GIVES_MEMORY_BACK, QUIET, ROOT, requireNode, requireWritable } from "./launch/environment.mjs";
import { readFirstRun } from "./launch/first-run.mjs";
import { greet } from "./launch/greeting.mjs";
import { ensureBuilt, ensureInstalled } from "./launch/install.mjs";
import { clearLeftovers, Processes } from "./launch/processes.mjs";
import { exitWith, Refusal } from "./launch/refusal.mjs";
import { followSimulatedBackend } from "./launch/simulated-endpoints.mjs";

/** Seconds running requests get to finish after Ctrl-C; operators of real fleets set a longer one themselves. */
const GRACE_SECS = "10";

await exitWith(async () => {
  requireNode();
  const flags = readFlags();
  const dataDir = path.resolve(ROOT, process.env.OBLETH_DATA_DIR || ".obleth");
  requireWritable(dataDir, "OBLETH_DATA_DIR");
  await clearLeftovers(dataDir);
  const listen = readListeners(flags.isEmpty);
  for (const { address, variable } of Object.values(listen)) await requireFree(address, variable);
  if (!flags.isPrebuilt) {
    await ensureInstalled();
    if (!flags.isDev) await ensureBuilt(["@obleth/gateway", "@obleth/dashboard", "@obleth/sim-backend", "@obleth/cli"]);
  }
  return runUntilStopped({ flags, dataDir, listen });
});

function readFlags() {
  try {
    const { values } = parseArgs({
      options: {
        demo: { type: "boolean", default: false },
        empty: { type: "boolean", default: false },
        dev: { type: "boolean", default: false },
        prebuilt: { type: "boolean", default: false },
      },
    });
    if (values.demo && values.empty) throw new Refusal("--demo needs the sample data that --empty leaves out.");
    return { isDemo: values.demo, isEmpty: values.empty, isDev: values.dev, isPrebuilt: values.prebuilt };
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(`${error instanceof Error ? error.message : error} Known: --demo, --empty, --dev.`);
  }
}

/**
 * The addresses of this run, from the same variables the processes read.
 * @param {boolean} isEmpty without sample data there is no simulated backend
 */
function readListeners(isEmpty) {
  /** @param {string} variable @param {string} otherwise */
  const from = (variable, otherwise) => ({
    variable,
    address: readAddress(process.env[variable] || otherwise, variable),
  });
  const simulated = new URL(process.env.OBLETH_SIM_BACKEND_URL || "http://127.0.0.1:9400");
  return {
    proxy: from("OBLETH_PROXY_LISTEN", "0.0.0.0:8080"),
    admin: from("OBLETH_ADMIN_LISTEN", "127.0.0.1:9180"),
    metrics: from("OBLETH_METRICS_LISTEN", "127.0.0.1:9091"),
    dashboard: from("OBLETH_DASHBOARD_LISTEN", "127.0.0.1:3000"),
    ...(isEmpty
      ? {}
      : {
          simulated: {
            variable: "OBLETH_SIM_BACKEND_URL",
            address: { host: simulated.hostname, port: Number(simulated.port || 80) },
          },
        }),
  };
}

/**
 * @typedef {ReturnType<typeof readListeners>} Listeners
 * @param {{ flags: ReturnType<typeof readFlags>, dataDir: string, listen: Listeners }} run
 * @returns {Promise<number>} exit code
 */
async function runUntilStopped({ flags, dataDir, listen }) {
  /** @type {(name: string | undefined) => void} */
  let end = () => undefined;
  /** @type {Promise<string | undefined>} the process that was lost; undefined when somebody asked us to stop */
  const ended = new Promise((resolve) => {
    end = resolve;
  });
  const processes = new Processes(dataDir, end);
  let isAsked = false;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      if (isAsked) processes.hurry();
      else console.log("\nStopping ...");
      isAsked = true;
      end(undefined);
    });
  }
  try {
    await Promise.race([startAll(processes, { flags, dataDir, listen }), ended]);
    const lost = await ended;
    if (lost !== undefined) throw new Refusal(`${lost} stopped by itself:\n${processes.tail(lost)}`);
    return 0;
  } finally {
    await processes.stopAll();
  }
}

/**
 * @param {Processes} processes
 * @param {{ flags: ReturnType<typeof readFlags>, dataDir: string, listen: Listeners }} run
 */
async function startAll(processes, { flags, dataDir, listen }) {
  const adminUrl = urlOf(listen.admin.address);
  const dashboardUrl = urlOf(listen.dashboard.address);
  const env = {
    ...QUIET,
    OBLETH_DATA_DIR: dataDir,
    OBLETH_SHUTDOWN_GRACE_SECS: process.env.OBLETH_SHUTDOWN_GRACE_SECS || GRACE_SECS,
  };
  /** @param {string} app @param {string} built */
  const commandOf = (app, built) =>
    flags.isDev
      ? ["--import", "tsx", "--watch", "--watch-preserve-output", `apps/${app}/src/main.ts`]
      : [`apps/${app}/${built}`];

  const simUrl = listen.simulated === undefined ? undefined : urlOf(listen.simulated.address);
  if (listen.simulated !== undefined) {
    const { host, port } = listen.simulated.address;
    const sim = processes.start("sim-backend", {
      args: [...commandOf("sim-backend", "dist/main.js"), "--host", host, "--port", String(port)],
      isShown: flags.isDev,
    });
    await processes.untilReady(sim, `${urlOf(listen.simulated.address)}/health`);
  }
  console.log("Starting the gateway and its database ...");
  const gateway = processes.start("gateway", {
    args: commandOf("gateway", "dist/main.js"),
    env: { ...env, ...GIVES_MEMORY_BACK, OBLETH_SEED: flags.isEmpty ? "none" : process.env.OBLETH_SEED },
    isShown: flags.isDev,
  });
  await processes.untilReady(gateway, `${adminUrl}/ready`);
  const { adminToken, sessionSecret } = readFirstRun(dataDir);
  if (simUrl !== undefined) await followSimulatedBackend({ adminUrl, token: adminToken, simUrl });
  const program = dashboardProgram(flags.isDev, listen.dashboard.address);
  const dashboard = processes.start("dashboard", {
    ...program,
    env: {
      ...env,
      OBLETH_MANAGEMENT_URL: process.env.OBLETH_MANAGEMENT_URL || adminUrl,
      OBLETH_SESSION_SECRET: sessionSecret,
      ...program.env,
    },
    isShown: flags.isDev,
  });
  await processes.untilReady(dashboard, `${dashboardUrl}/login`);
  if (flags.isDemo) {
    processes.start("demo-traffic", {
      args: ["--import", "tsx", "scripts/demo-traffic.ts"],
      env: { ...env, DEMO_PROXY_URL: urlOf(listen.proxy.address), DEMO_ADMIN_URL: adminUrl, DEMO_SIM_URL: simUrl },
    });
  }
  greet({ dataDir, proxyUrl: urlOf(listen.proxy.address), adminUrl, dashboardUrl, isDemo: flags.isDemo });
}

/**
 * @param {boolean} isDev
 * @param {import("./launch/addresses.mjs").Address} address
 */
function dashboardProgram(isDev, { host, port }) {
  if (isDev) {
    const next = path.join(ROOT, "node_modules/next/dist/bin/next");
    const args = [next, "dev", "--hostname", host, "--port", String(port)];
    return { args, cwd: path.join(ROOT, "apps/dashboard"), env: {} };
  }
  return {
    args: [path.join(ROOT, "apps/dashboard/.next/standalone/apps/dashboard/server.js")],
    env: { HOSTNAME: host, PORT: String(port) },
  };
}
