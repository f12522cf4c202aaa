import { describe, expect, it } from "vitest";
import { SETTINGS } from "./defaults";
import { type Environment, readSettings, SettingsError } from "./env";

const SECRET = "s".repeat(40);
const EXTERNAL = {
  OBLETH_DATABASE_URL: "postgres://obleth:hunter2@db.internal/obleth",
  OBLETH_ADMIN_TOKEN: SECRET,
  OBLETH_SESSION_SECRET: SECRET,
  OBLETH_ENCRYPTION_KEY: SECRET,
};

function problemsOf(environment: Environment) {
  try {
    readSettings(environment);
  } catch (error) {
    if (error instanceof SettingsError) return error;
    throw error;
  }
  throw new Error("the settings were accepted");
}

describe("reading settings", () => {
  it("needs nothing: an empty environment gives every default", () => {
    const { settings, notices } = readSettings({});
    expect(settings).toMatchObject({
      proxyListen: { host: "0.0.0.0", port: 8080 },
      adminListen: { host: "127.0.0.1", port: 9180 },
      databaseUrl: null,
      globalMaxInFlight: 4096,
      defaultModelMaxInFlight: 32,
      admissionTimeoutSecs: 60,
      fairshareAlgorithm: "hierarchical",
      sharedSlots: true,
      sessionAffinity: false,
      affinityMaxHeldPercent: 25,
      shutdownGraceSecs: 300,
      maxBodyBytes: 64 * 1024 * 1024,
      bodyMemoryBytes: 0,
    });
    expect(notices).toEqual([]);
  });

  it("gives every setting the value that its page shows as the default", () => {
    const spelledOut = Object.fromEntries(Object.values(SETTINGS).map((one) => [one.env, one.defaultText ?? ""]));
    expect(readSettings(spelledOut).settings).toEqual(readSettings({}).settings);
  });

  it("freezes the result", () => {
    expect(Object.isFrozen(readSettings({}).settings)).toBe(true);
  });

  it.each(["1", "true", "TRUE", "Yes", "on", " on "])("reads %j as true", (value) => {
    expect(readSettings({ OBLETH_FAIRSHARE_SESSION_AFFINITY: value }).settings.sessionAffinity).toBe(true);
  });

  it.each(["0", "false", "No", "OFF"])("reads %j as false", (value) => {
    expect(readSettings({ OBLETH_FAIL_OPEN: value }).settings.failOpen).toBe(false);
  });

  it("takes a blank value as unset", () => {
    const { settings } = readSettings({ OBLETH_DATABASE_URL: "  ", OBLETH_GLOBAL_MAX_IN_FLIGHT: "" });
    expect(settings.databaseUrl).toBeNull();
    expect(settings.globalMaxInFlight).toBe(4096);
  });

  it("lists every problem at once with its name, the value given and what is allowed", () => {
    const error = problemsOf({
      OBLETH_GLOBAL_MAX_IN_FLIGHT: "1.5",
      OBLETH_FAIL_OPEN: "maybe",
      OBLETH_PROXY_LISTEN: "8080",
      OBLETH_FAIRSHARE_ALGORITHM: "lottery",
    });
    expect(error.problems).toHaveLength(4);
    expect(error.problems).toContainEqual({
      name: "OBLETH_GLOBAL_MAX_IN_FLIGHT",
      given: '"1.5"',
      allowed: "whole number from 1 to 1000000",
    });
    expect(error.message).toContain('OBLETH_FAIRSHARE_ALGORITHM is "lottery"; allowed: hierarchical or weighted');
  });

  it("never shows a secret that it refuses", () => {
    const error = problemsOf({
      OBLETH_ADMIN_TOKEN: "canary1",
      OBLETH_REDIS_URL: "http://user:canary2@cache:6379/?key=canary3",
      OBLETH_DATABASE_URL: "canary4@nonsense",
      OBLETH_UPSTREAM_BASE_URL: "ftp://canary5@host/v1",
    });
    expect(error.problems.length).toBeGreaterThanOrEqual(4);
    expect(JSON.stringify(error.problems) + error.message).not.toContain("canary");
    expect(error.message).toContain("cache:6379");
  });

  it("requires token and secrets with an external database, and names each", () => {
    const error = problemsOf({ OBLETH_DATABASE_URL: EXTERNAL.OBLETH_DATABASE_URL });
    expect(error.problems.map((problem) => problem.name)).toEqual([
      "OBLETH_ADMIN_TOKEN",
      "OBLETH_SESSION_SECRET",
      "OBLETH_ENCRYPTION_KEY",
    ]);
    expect(readSettings(EXTERNAL).settings.databaseUrl).toBe(EXTERNAL.OBLETH_DATABASE_URL);
  });

  it("requires sentinels and their name together", () => {
    expect(problemsOf({ OBLETH_REDIS_SENTINELS: "a:26379,b:26379" }).message).toContain("OBLETH_REDIS_SENTINEL_NAME");
    expect(problemsOf({ OBLETH_REDIS_SENTINEL_NAME: "main" }).message).toContain("OBLETH_REDIS_SENTINELS");
  });

  it.each([
    ["OBLETH_ADMISSION_TIMEOUT_SECS", "0", "admissionTimeoutSecs", 60],
    ["OBLETH_ADMISSION_TIMEOUT_SECS", "soon", "admissionTimeoutSecs", 60],
    ["OBLETH_ADMISSION_TIMEOUT_SECS", "-5", "admissionTimeoutSecs", 60],
    ["OBLETH_FAIRSHARE_REPLICA_HEARTBEAT_SECS", "0", "replicaHeartbeatSecs", 5],
    ["OBLETH_DEFAULT_MODEL_MAX_IN_FLIGHT", "0", "defaultModelMaxInFlight", 32],
  ] as const)("reads %s=%s as its default and says so", (name, value, key, expected) => {
    const { settings, notices } = readSettings({ [name]: value });
    expect(settings[key]).toBe(expected);
    expect(notices.map((notice) => notice.name)).toEqual([name]);
  });

  it.each([
    ["5", "5", 10],
    ["10", "3", 20],
    ["5", "15", 15],
  ])("with a heartbeat of %s s and a TTL of %s s the TTL in force is %d s", (heartbeat, ttl, expected) => {
    const { settings } = readSettings({
      OBLETH_FAIRSHARE_REPLICA_HEARTBEAT_SECS: heartbeat,
      OBLETH_FAIRSHARE_REPLICA_TTL_SECS: ttl,
    });
    expect(settings.replicaTtlSecs).toBe(expected);
  });

  it("keeps memory for six of the longest bodies, and says so where less was asked for", () => {
    const given = { OBLETH_MAX_BODY_BYTES: "1000000", OBLETH_BODY_MEMORY_BYTES: "5999999" };
    const { settings, notices } = readSettings(given);
    expect(settings.bodyMemoryBytes).toBe(6_000_000);
    expect(notices).toEqual([
      { name: "OBLETH_BODY_MEMORY_BYTES", message: "raised to 6000000 bytes, six times OBLETH_MAX_BODY_BYTES" },
    ]);
    const more = { ...given, OBLETH_BODY_MEMORY_BYTES: "6000001" };
    expect(readSettings(more)).toMatchObject({ settings: { bodyMemoryBytes: 6_000_001 }, notices: [] });
  });

  it("points out a misspelt variable and its likely name", () => {
    const { notices } = readSettings({ OBLETH_ADMIN_LISTN: "x", PATH: "/bin" });
    expect(notices).toEqual([
      { name: "OBLETH_ADMIN_LISTN", message: "not a setting; did you mean OBLETH_ADMIN_LISTEN?" },
    ]);
  });

  it("accepts IPv6 and port 0 in a listen address", () => {
    expect(readSettings({ OBLETH_METRICS_LISTEN: "[::1]:0" }).settings.metricsListen).toEqual({ host: "::1", port: 0 });
  });

  it.each(["0.0.0.0:65536", ":8080", "host", "a b:1", "[::1:80"])("refuses %j as a listen address", (value) => {
    expect(problemsOf({ OBLETH_PROXY_LISTEN: value }).problems).toHaveLength(1);
  });

  it("splits lists at commas and refuses a bad item", () => {
    const origins = "https://a.example, http://localhost:3000";
    expect(readSettings({ OBLETH_CORS_ORIGINS: origins }).settings.corsOrigins).toEqual(origins.split(", "));
    expect(problemsOf({ OBLETH_CORS_ORIGINS: "https://a.example/path" }).problems).toHaveLength(1);
  });
});
