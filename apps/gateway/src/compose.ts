/**
 * The composition root: builds every part of the gateway from its settings and joins them. The only place that
 * constructs; nothing here decides anything.
 */
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { startWarnings } from "@obleth/config";
import type { EngineSnapshot } from "@obleth/fairshare";
import { adminHandler, metricsHandler } from "./app";
import { AffinityTally } from "./boot/affinity-counts";
import { type Capacity, startCapacity } from "./boot/capacity";
import { aboutSelf, clusterPage } from "./boot/cluster-page";
import { type Fleet, join, makeFleet } from "./boot/fleet";
import { type Foundation, type FoundationOptions, layFoundation } from "./boot/foundation";
import { answering, cutConnections, type Listener, openListener, stopAccepting } from "./boot/listeners";
import { managementDeps } from "./boot/management-deps";
import { makeMetrics, observe } from "./boot/observation";
import { openPolicies, type Policies } from "./boot/policies";
import { proxyEvents } from "./boot/proxy-events";
import { proxySettings } from "./boot/proxy-settings";
import { removeRunFile, urlOf, writeRunFile } from "./boot/run-file";
import { makeScheduler } from "./boot/scheduling";
import { Started } from "./boot/started";
import { openTracing } from "./boot/tracing";
import { countUnsaved, makeUsageRecorder, USAGE_FLUSH_MS, UsageUpkeep } from "./boot/usage";
import { createManagementApp } from "./management/app";
import { BoostSweeper } from "./management/boosts/boost-sweeper";
import type { Metrics } from "./observe/metrics";
import type { ReplicaFacts } from "./observe/moment";
import { createProxyListener, PROXY_SERVER_OPTIONS, type ProxyListener } from "./proxy/proxy-listener";
import type { Scheduler } from "./scheduler/scheduler";
import { shutDown } from "./shutdown";

export interface Gateway {
  /** Leaves in order; resolves to the exit code. Later calls wait for the same end. */
  shutDown(): Promise<number>;
  /** For leaving at once: nothing is waited for. */
  abandon(): void;
}

/** Host name and a random suffix: two replicas on one host, and two lives of one container, differ. */
export function newInstanceId(): string {
  return `${hostname()}-${randomBytes(3).toString("hex")}`;
}

/** Starts everything; what was started is stopped again when a later part cannot start. */
export async function compose(options: FoundationOptions): Promise<Gateway> {
  const started = new Started();
  try {
    const { stopping } = options;
    const foundation = await layFoundation(options, started);
    stopping.throwIfAborted();
    const core = await buildCore(foundation, started);
    stopping.throwIfAborted();
    const listeners = await openListeners(foundation, core, started);
    return gateway({ foundation, core, listeners, started });
  } catch (error) {
    await started.undo();
    throw error;
  }
}

interface Core {
  readonly scheduler: Scheduler;
  readonly metrics: Metrics;
  readonly proxy: ProxyListener;
  readonly management: ReturnType<typeof createManagementApp>;
}

async function buildCore(foundation: Foundation, started: Started): Promise<Core> {
  const { settings, clock, log, readiness, build, instance, secrets, database } = foundation;
  const affinity = new AffinityTally((event, times) => metrics.affinityEvent(event, times));
  const snapshot = (): EngineSnapshot => scheduler.snapshot();
  const fleet = makeFleet(foundation, { metrics: () => metrics, snapshot, affinity });
  const scheduler = makeScheduler(foundation, { affinity, slots: fleet.slots });
  const usage = makeUsageRecorder(foundation, (records) => metrics.usageDropped(records));
  // Metrics come first because all parts report to them; what they read comes later.
  const later: { policies?: Policies; proxy?: ProxyListener; capacity?: Capacity } = {};
  const isEndpointHealthy = (id: string) => later.proxy?.isEndpointHealthy(id) ?? true;
  const metrics = makeMetrics({
    snapshot,
    fleet: () => fleet.facts(),
    policies: () => later.policies,
    isReady: () => readiness.isReady(),
    isEndpointHealthy,
    usageQueued: () => usage.queuedCount,
    heldBodyBytes: () => later.proxy?.heldBodyBytes ?? 0,
    version: build.version,
  });
  const unsaved = countUnsaved(foundation, usage, (records) => metrics.usageDropped(records));
  started.push("usage", () => usage.close(USAGE_FLUSH_MS).then(() => unsaved.stop()));
  const tracing = await openTracing(foundation);
  if (tracing !== null) started.push("traces", () => tracing.close());
  const policies = await openPolicies(foundation, scheduler, (kind) => metrics.configChanged(kind));
  later.policies = policies;
  started.push("configuration watch", () => policies.close());
  const proxy = createProxyListener({
    keys: policies.keys,
    models: policies.models,
    admission: scheduler,
    budgets: fleet.cluster.budgets,
    usage,
    clock,
    settings: proxySettings(settings, { replica: instance, sessionSecret: secrets.sessionSecret }),
    log,
    events: proxyEvents({ metrics, log, onHealthChange: (id) => later.capacity?.endpointChanged(id) }),
    tracing,
    random: Math.random,
    otherPaths: (request, response) => readiness.answer(request, response),
  });
  later.proxy = proxy;
  started.push("backend connections", () => proxy.close());
  const capacity = startCapacity(foundation, policies, isEndpointHealthy);
  later.capacity = capacity;
  started.push("capacity discovery", () => capacity.stop());
  const served = { foundation, scheduler, fleet, affinity, policies, capacity, isEndpointHealthy };
  const management = await buildManagement(served, started);
  startUpkeep(foundation, started);
  for (const { event, message } of startWarnings(settings, { enabledPoolSlots: policies.limits.enabledPoolSlots() })) {
    log.warn({ message }, event);
  }
  log.debug({ database: database.embedded === null ? "given" : "embedded" }, "core.built");
  return { scheduler, metrics, proxy, management };
}

interface ManagementBase {
  readonly foundation: Foundation;
  readonly scheduler: Scheduler;
  readonly fleet: Fleet;
  readonly affinity: AffinityTally;
  readonly policies: Policies;
  readonly capacity: Capacity;
  readonly isEndpointHealthy: (endpointId: string) => boolean;
}

/** What people see and change, and the place among the other replicas, which are told of this one. */
async function buildManagement(base: ManagementBase, started: Started): Promise<Core["management"]> {
  const { foundation, scheduler, fleet, affinity, policies, capacity, isEndpointHealthy } = base;
  const { settings, clock, log, readiness } = foundation;
  const replica = replicaFacts(foundation);
  const observation = observe({
    settings,
    clock,
    replica,
    policies,
    sample: () => scheduler.sample(),
    moment: () => fleet.moment(),
    affinity,
    log,
  });
  observation.history.start();
  started.push("history", () => observation.history.stop());
  const { configVersion, limits } = policies;
  const page = { foundation, replica, fleet, snapshot: () => scheduler.snapshot(), configVersion };
  const cluster = () => clusterPage(page);
  await join({ fleet, scheduler, limits, about: () => aboutSelf(page) });
  readiness.set("first_heartbeat", true);
  started.push("fleet", () => fleet.cluster.leave());
  return createManagementApp(
    managementDeps({ foundation, policies, observation, fleet, capacity, cluster, isEndpointHealthy }),
  );
}

/** Housekeeping that any replica may do: partitions of usage, the ends of boosts. */
function startUpkeep(foundation: Foundation, started: Started): void {
  const usage = new UsageUpkeep(foundation);
  void usage.run();
  started.push("usage upkeep", () => usage.stop());
  const { clock, database, log } = foundation;
  const boosts = new BoostSweeper({ db: database.handle.db, clock, log });
  boosts.start();
  started.push("boosts", () => boosts.close());
}

interface Listeners {
  readonly proxy: Listener;
  readonly admin: Listener;
  readonly metrics: Listener;
}

/** The proxy opens last: whoever reaches it finds everything there. */
async function openListeners(foundation: Foundation, core: Core, started: Started): Promise<Listeners> {
  const { settings, readiness, log } = foundation;
  const opened = async (name: string, options: Parameters<typeof openListener>[0]) => {
    const listener = await openListener(options);
    started.push(name, () => {
      stopAccepting(listener);
      cutConnections(listener);
    });
    return listener;
  };
  const metrics = await opened("metrics listener", {
    address: settings.metricsListen,
    setting: "OBLETH_METRICS_LISTEN",
    attach: answering(metricsHandler(core.metrics, readiness, log)),
  });
  const admin = await opened("management listener", {
    address: settings.adminListen,
    setting: "OBLETH_ADMIN_LISTEN",
    attach: answering(adminHandler(core.management, readiness)),
  });
  const proxy = await opened("proxy listener", {
    address: settings.proxyListen,
    setting: "OBLETH_PROXY_LISTEN",
    server: PROXY_SERVER_OPTIONS,
    attach: (server) => core.proxy.attachTo(server),
  });
  readiness.set("listening", true);
  return { proxy, admin, metrics };
}

function gateway(parts: { foundation: Foundation; core: Core; listeners: Listeners; started: Started }): Gateway {
  const { foundation, core, listeners, started } = parts;
  const { settings, clock, log, readiness, stateDir, database, instance, build } = foundation;
  const urls = {
    proxy: urlOf(listeners.proxy.address),
    admin: urlOf(listeners.admin.address),
    metrics: urlOf(listeners.metrics.address),
  };
  const embedded = database.embedded;
  writeRunFile(stateDir, {
    pid: process.pid,
    instance,
    version: build.version,
    started_ts_ms: clock.wallMs(),
    ...urls,
    database: embedded === null ? null : { pid: embedded.pid(), port: embedded.port, dir: embedded.dir },
  });
  started.push("run file", () => removeRunFile(stateDir));
  log.info(urls, "gateway.ready");
  let ending: Promise<number> | undefined;
  const steps = {
    sayNotReady: () => readiness.set("not_draining", false),
    stopAccepting: () => {
      core.proxy.startDraining();
      stopAccepting(listeners.proxy);
    },
    answerWaiting: () => core.scheduler.shutdown(),
    drain: (graceMs: number) => core.proxy.drain(graceMs),
    finish: started.steps,
  };
  const [graceMs, delayMs] = [settings.shutdownGraceSecs * 1000, settings.shutdownDelaySecs * 1000];
  return {
    shutDown: () => {
      ending ??= shutDown({ steps, clock, log, graceMs, delayMs });
      return ending;
    },
    abandon: () => {
      removeRunFile(stateDir);
      database.closeWithoutWaiting();
    },
  };
}

function replicaFacts({ settings, instance, clock }: Foundation): ReplicaFacts {
  return {
    instance,
    startedTsMs: clock.wallMs(),
    sharedSlots: settings.sharedSlots,
    replicaAware: settings.replicaAware,
    defaultModelMaxInFlight: settings.defaultModelMaxInFlight,
    admissionTimeoutMs: settings.admissionTimeoutSecs * 1000,
    maxJumps: settings.affinityMaxJumps,
  };
}
