import type { Settings } from "@obleth/config";
import type { ProxySettings } from "../proxy/proxy-deps";

/** How often every endpoint is asked whether it is there. */
const HEALTH_CHECK_MS = 10_000;

export function proxySettings(settings: Settings, own: { replica: string; sessionSecret: string }): ProxySettings {
  return {
    maxBodyBytes: settings.maxBodyBytes,
    bodyMemoryBytes: settings.bodyMemoryBytes,
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
