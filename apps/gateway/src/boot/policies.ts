/** Builds the caches of the configuration and keeps them, and the scheduler's limits, in step with the database. */
import type { Settings } from "@obleth/config";
import { type ConfigWatch, readGlobalCeiling, watchConfigChanges } from "@obleth/db";
import { Invalidation, type PolicySink } from "../policy-cache/invalidation";
import { CachedKeys } from "../policy-cache/key-directory";
import { LimitsFeed, type LimitsSink } from "../policy-cache/limits-feed";
import { HeldModels, type ModelChange } from "../policy-cache/model-directory";
import { HeldNames } from "../policy-cache/name-directory";
import { databasePolicySource } from "../policy-cache/policy-source";
import type { PolicySource } from "../policy-cache/records";
import type { Foundation } from "./foundation";

/** A missed notice is found after this; with reading what changed, on a busy machine, that stays below a second. */
const VERSION_POLL_MS = 250;

export interface Policies {
  readonly keys: CachedKeys;
  readonly models: HeldModels;
  readonly names: HeldNames;
  readonly limits: LimitsFeed;
  readonly source: PolicySource;
  /** From here on told of each model that appears, changes or goes, after the scheduler's limits follow it. */
  onModelChange(listener: (change: ModelChange) => void): void;
  /** Newest configuration version that requests and pools go by here. */
  readonly configVersion: () => number;
  close(): Promise<void>;
}

export async function openPolicies(
  foundation: Foundation,
  scheduler: PolicySink & LimitsSink,
  onInvalidation: (kind: string) => void,
): Promise<Policies> {
  const { clock, log, hashSecret, settings, sealer } = foundation;
  const { db } = foundation.database.handle;
  const source = databasePolicySource({
    db,
    wallMs: () => clock.wallMs(),
    sealer,
    onUnsealable: (endpoint, error) => log.error({ endpoint, err: error }, "endpoint.credential_unreadable"),
  });
  const onError = (error: unknown) => log.warn({ err: error }, "config.read_failed");
  const keys = new CachedKeys({ source, clock, hash: hashSecret, onStale: onError });
  const listeners: ((change: ModelChange) => void)[] = [];
  const models = new HeldModels({
    source,
    onChange: (change) => {
      limits.modelChanged(change);
      for (const listener of listeners) listener(change);
    },
  });
  const names = new HeldNames({ source, onError });
  const limits = new LimitsFeed({
    models,
    sink: scheduler,
    defaults: poolDefaults(settings),
    ceiling: settings.globalMaxInFlight,
    hasUnroutedUpstream: settings.upstreamBaseUrl !== null,
  });
  const readCeiling = async () => limits.setCeiling((await readGlobalCeiling(db)).value ?? settings.globalMaxInFlight);
  const invalidation = new Invalidation({
    keys,
    models,
    names,
    source,
    sink: scheduler,
    clock,
    onError,
    onSettings: readCeiling,
  });
  const watch = await watchDatabase(foundation, invalidation, onInvalidation);
  await invalidation.start(watch.version());
  await readCeiling();
  limits.start();
  return {
    keys,
    models,
    names,
    limits,
    source,
    onModelChange: (listener) => void listeners.push(listener),
    configVersion: () => invalidation.versionInForce,
    close: async () => {
      invalidation.close();
      await watch.close();
    },
  };
}

/** Watching begins before the first read, so that no change falls between them. */
function watchDatabase(
  { database, clock, log }: Foundation,
  invalidation: Invalidation,
  onInvalidation: (kind: string) => void,
): Promise<ConfigWatch> {
  return watchConfigChanges({
    url: database.url,
    db: database.handle.db,
    pollMs: VERSION_POLL_MS,
    setTimer: (delayMs, fire) => clock.setTimer(delayMs, fire),
    onFault: (error) => log.warn({ err: error }, "config.watch_failed"),
    onNotice: (notice) => {
      const kinds = notice.changes === "all" ? ["all"] : notice.changes.map((change) => change.kind);
      for (const kind of new Set(kinds)) onInvalidation(kind);
      log.debug({ version: notice.version, kinds }, "config.changed");
      void invalidation.apply(notice);
    },
  });
}

function poolDefaults(settings: Settings) {
  return {
    size: settings.defaultModelMaxInFlight,
    affinity: {
      isEnabled: settings.sessionAffinity,
      holdMs: settings.affinityHoldMs,
      maxHeldPercent: settings.affinityMaxHeldPercent,
      maxBypassMs: settings.affinityMaxBypassSecs * 1000,
    },
  };
}
