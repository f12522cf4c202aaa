import { describe, expect, it } from "vitest";
import { SECTIONS, SETTINGS } from "./defaults";
import { readSettings } from "./env";
import { effectiveSettings, renderEnvExample, renderSettingsPage } from "./render";
import { startWarnings } from "./warnings";

const names = Object.values(SETTINGS).map((setting) => setting.env);

describe("the settings as text", () => {
  it("names every variable once in .env.example, on the page and among the effective settings", () => {
    const example = renderEnvExample();
    const page = renderSettingsPage();
    for (const name of names) {
      expect(example.split("\n").filter((line) => line.startsWith(`# ${name}=`))).toHaveLength(1);
      expect(page.split("\n").filter((line) => line.startsWith(`| \`${name}\``))).toHaveLength(1);
    }
    expect(effectiveSettings(readSettings({}).settings).map((one) => one.name)).toEqual(expect.arrayContaining(names));
  });

  it("lists every setting in exactly one section", () => {
    const listed = SECTIONS.flatMap((section) => Object.keys(section.settings));
    expect(listed.sort()).toEqual(Object.keys(SETTINGS).sort());
  });

  it("gives an .env.example that, uncommented, is accepted and changes nothing", () => {
    const lines = renderEnvExample().split("\n");
    const pairs = lines.flatMap((line) => {
      const match = /^# (OBLETH_\w+)=(.*)$/.exec(line);
      return match === null ? [] : [[match[1], match[2]]];
    });
    expect(readSettings(Object.fromEntries(pairs))).toEqual(readSettings({}));
  });

  it("masks secrets and passwords in what config check prints", () => {
    const { settings } = readSettings({
      OBLETH_DATABASE_URL: "postgres://obleth:canary@db/obleth?password=canary",
      OBLETH_ADMIN_TOKEN: "canary-canary-canary",
      OBLETH_SESSION_SECRET: "canary".repeat(8),
      OBLETH_ENCRYPTION_KEY: "canary".repeat(8),
    });
    const shown = effectiveSettings(settings);
    expect(JSON.stringify(shown)).not.toContain("canary");
    expect(shown.find((one) => one.name === "OBLETH_DATABASE_URL")?.value).toBe("postgres://***@db/obleth?***");
    expect(shown.find((one) => one.name === "OBLETH_PROXY_LISTEN")).toEqual({
      name: "OBLETH_PROXY_LISTEN",
      value: "0.0.0.0:8080",
      isDefault: true,
    });
  });
});

describe("warnings at the start", () => {
  const facts = { enabledPoolSlots: 40 };

  it("has none for the defaults", () => {
    expect(startWarnings(readSettings({}).settings, facts)).toEqual([]);
  });

  it("warns of a ceiling below the pools, but not of one equal to them", () => {
    const { settings } = readSettings({ OBLETH_GLOBAL_MAX_IN_FLIGHT: "40" });
    expect(startWarnings(settings, facts)).toEqual([]);
    const events = startWarnings(settings, { ...facts, enabledPoolSlots: 41 }).map((warning) => warning.event);
    expect(events).toEqual(["settings.ceiling_below_pools"]);
  });

  it("warns of a bypass limit over half the admission timeout, but not at half", () => {
    const half = readSettings({ OBLETH_FAIRSHARE_SESSION_AFFINITY_MAX_BYPASS_SECS: "30" }).settings;
    const over = readSettings({ OBLETH_FAIRSHARE_SESSION_AFFINITY_MAX_BYPASS_SECS: "31" }).settings;
    expect(startWarnings(half, facts)).toEqual([]);
    expect(startWarnings(over, facts).map((warning) => warning.event)).toEqual(["settings.bypass_near_timeout"]);
  });
});
