import { totalmem } from "node:os";
import { leastBodyMemory, type Settings } from "@obleth/config";
import type { ProxySettings } from "../proxy/proxy-deps";

/** How often every endpoint is asked whether it is there. */
const HEALTH_CHECK_MS = 10_000;
/** Bodies take two to three times what is counted at their most, which leaves the rest for everything else. */
const BODY_MEMORY_PART = 1 / 4;

export function proxySettings(settings: Settings, own: { replica: string; sessionSecret: string }): ProxySettings {
  return {
    maxBodyBytes: settings.maxBodyBytes,
    bodyMemoryBytes: settings.bodyMemoryBytes === 0 ? defaultBodyMemory(settings) : settings.bodyMemoryBytes,
    corsOrigins: settings.corsOrigins,
    upstreamBaseUrl: settings.upstreamBaseUrl,
    upstreamApiKey: settings.upstreamApiKey,
    clientStallMs: settings.clientStallSecs * 1000,
    connectTimeoutMs: settings.upstreamConnectTimeoutSecs * 1000,
    firstByteTimeoutMs: settings.upstreamTimeoutSecs * 1000,
    idleTimeoutMs: settings.upstreamReadTimeoutSecs * 1000,
    blockPrivateNetworks: settings.blockPrivateNetworks,
    healthCheckMs: HEALTH_CHECK_MS,
    failOpen: settings.failOpen,
    deriveSessionIds: settings.deriveSessionIds,
    sessionSecret: own.sessionSecret,
    replica: own.replica,
  };
}

/** By the memory of the machine or of the container, whichever is less. */
function defaultBodyMemory(settings: Settings): number {
  const usable = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  return Math.max(Math.floor(usable * BODY_MEMORY_PART), leastBodyMemory(settings));
}
