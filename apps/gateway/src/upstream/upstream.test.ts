import { describe, expect, it } from "vitest";
import { endpoint } from "../proxy/testing/rig";
import { baseUrlProblem, isAddressAllowed } from "./address-guard";
import { orderCandidates } from "./endpoint-choice";
import { EndpointHealth } from "./endpoint-health";
import { backoffMs, retryAfterMs } from "./retry";
import { readUsage } from "./usage-figures";
import { UsageScanner } from "./usage-scanner";

describe("addresses", () => {
  it.each([
    ["8.8.8.8", true, true],
    ["10.0.0.1", true, false],
    ["127.0.0.1", true, false],
    ["::1", true, false],
    ["fd12::1", true, false],
    ["::ffff:10.0.0.1", true, false],
    ["169.254.169.254", false, false],
    ["::ffff:169.254.169.254", false, false],
    ["64:ff9b::a9fe:a9fe", false, false],
    ["2002:a9fe:a9fe::1", false, false],
    ["::ffff:0:169.254.169.254", false, false],
    ["::169.254.169.254", false, false],
    ["::10.0.0.1", true, false],
    ["fec0::1", true, false],
    ["2606:4700::1111", true, true],
    ["fe80::1", false, false],
    ["fd00:ec2::254", false, false],
    ["100.100.100.200", false, false],
    ["0.0.0.0", false, false],
    ["224.0.0.1", false, false],
    ["255.255.255.255", false, false],
    ["not an address", false, false],
  ])("%s may be reached: %s, with private networks blocked: %s", (address, normally, blocked) => {
    expect(isAddressAllowed(address, { blockPrivateNetworks: false })).toBe(normally);
    expect(isAddressAllowed(address, { blockPrivateNetworks: true })).toBe(blocked);
  });

  it("in a base URL are http or https without a password", () => {
    const rules = { blockPrivateNetworks: false };
    expect(baseUrlProblem("http://gpu:8000/v1", rules)).toBeNull();
    for (const bad of [
      "ftp://x/v1",
      "file:///etc/passwd",
      "nonsense",
      "http://u:p@x/v1",
      "http://169.254.1.1/v1",
      "http://[fe80::1]/v1",
      "http://2852039166/",
    ]) {
      expect([bad, baseUrlProblem(bad, rules)]).not.toEqual([bad, null]);
    }
  });
});

describe("rendezvous hashing", () => {
  const three = ["a", "b", "c"].map((id) => ({
    record: endpoint("http://x/v1", { id }),
    inFlight: 0,
    isAvailable: true,
  }));
  const home = (candidates: typeof three, session: string): string | undefined =>
    orderCandidates(candidates, { selection: "session_hash", session, random: () => 0 })[0]?.record.id;

  it("moves only the sessions of an endpoint that is gone", () => {
    for (let i = 0; i < 300; i++) {
      const before = home(three, `s${i}`);
      const after = home(three.slice(0, 2), `s${i}`);
      if (before !== "c") expect(after).toBe(before);
    }
  });

  it("gives each endpoint sessions in proportion to its weight", () => {
    const [a, b] = three;
    if (a === undefined || b === undefined) throw new Error("three candidates");
    const weighted = [{ ...a, record: { ...a.record, weight: 3 } }, b];
    const homes = Array.from({ length: 4000 }, (_, i) => home(weighted, `session-${i}`));
    expect(homes.filter((id) => id === "a").length / 4000).toBeCloseTo(0.75, 1);
  });
});

describe("an endpoint's health", () => {
  const make = () => {
    const changes: boolean[] = [];
    return { changes, health: new EndpointHealth((healthy) => changes.push(healthy)) };
  };

  it("is not changed by one failed check or a few failed requests", () => {
    const { changes, health } = make();
    health.checkFailed(0);
    health.checkFailed(0);
    health.checkSucceeded();
    health.checkFailed(0);
    for (let i = 0; i < 4; i++) health.requestFailed(0, "x");
    health.requestSucceeded();
    for (let i = 0; i < 4; i++) health.requestFailed(0, "x");
    expect([changes, health.isHealthy]).toEqual([[], true]);
  });

  it("allows one trial after its penalty, which doubles when the trial fails", () => {
    const { changes, health } = make();
    for (let i = 0; i < 5; i++) health.requestFailed(0, "x");
    expect([health.isAvailable(4999), health.isAvailable(5000)]).toEqual([false, true]);
    health.requestSent();
    expect(health.isAvailable(5000)).toBe(false);
    health.requestFailed(5000, "x");
    expect([health.isAvailable(14_999), health.isAvailable(15_000)]).toEqual([false, true]);
    health.requestSent();
    health.requestUnjudged();
    expect(health.isAvailable(15_000)).toBe(true);
    health.requestSent();
    health.requestSucceeded();
    expect([changes, health.isAvailable(15_000)]).toEqual([[false, true], true]);
  });

  it("comes back after several good checks in a row", () => {
    const { health } = make();
    for (let i = 0; i < 3; i++) health.checkFailed(0);
    health.checkSucceeded();
    expect(health.isHealthy).toBe(false);
    health.checkSucceeded();
    expect(health.isHealthy).toBe(true);
  });
});

describe("the wait before another try", () => {
  it("doubles, keeps some chance in it, and is never less than asked for", () => {
    const base = { baseMs: 100, retryAfterMs: null };
    expect(backoffMs({ ...base, tries: 1, random: 0 })).toBe(50);
    expect(backoffMs({ ...base, tries: 3, random: 0.5 })).toBe(300);
    expect(backoffMs({ ...base, tries: 1, random: 0, retryAfterMs: 2000 })).toBe(2000);
    expect(backoffMs({ ...base, tries: 1, random: 0, retryAfterMs: 60_000 })).toBeNull();
    expect(backoffMs({ ...base, tries: 60, random: 0.99 })).toBeLessThanOrEqual(10_000);
  });

  it("reads seconds and dates", () => {
    expect(retryAfterMs("2", 0)).toBe(2000);
    expect(retryAfterMs("Thu, 01 Jan 1970 00:00:10 GMT", 4000)).toBe(6000);
    expect(retryAfterMs("soon", 0)).toBeNull();
    expect(retryAfterMs(undefined, 0)).toBeNull();
  });
});

describe("usage in passing bytes", () => {
  const scanned = (text: string, size: number) => {
    const scanner = new UsageScanner();
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += size) scanner.push(bytes.subarray(at, at + size));
    return scanner.figures;
  };

  it("is found at every split, with white space, nested braces and strings in it", () => {
    const text =
      'x"usage" :\n { "prompt_tokens": 3, "note":"}\\"{", "completion_tokens": 4, "prompt_tokens_details":{"cached_tokens":1} } y';
    for (let size = 1; size <= text.length; size++) {
      expect(scanned(text, size)).toEqual({ inputTokens: 3, cachedTokens: 1, outputTokens: 4 });
    }
  });

  it("is not taken from what a model wrote, nor from nulls or numbers", () => {
    const written = JSON.stringify({ content: 'say "usage":{"prompt_tokens":9}', usage: null });
    for (const size of [1, 5, 1000]) expect(scanned(`${written}{"usage":5}`, size)).toBeNull();
  });

  it("only grows: neither zeros in a later part nor a tool's arguments of that form take anything back", () => {
    const start = 'event: message_start\ndata: {"message":{"usage":{"input_tokens":50,"output_tokens":1}}}\n\n';
    const end = 'event: message_delta\ndata: {"usage":{"input_tokens":0,"output_tokens":9}}\n\n';
    expect(scanned(start + end, 7)).toEqual({ inputTokens: 50, cachedTokens: 0, outputTokens: 9 });
    const usage = { input_tokens: 50, output_tokens: 9 };
    const input = { usage: { input_tokens: 0, output_tokens: 0 } };
    const answer = JSON.stringify({ usage, content: [{ type: "tool_use", input }] });
    expect(scanned(answer, 11)).toEqual({ inputTokens: 50, cachedTokens: 0, outputTokens: 9 });
  });

  it("leaves odd figures out", () => {
    expect(readUsage({ prompt_tokens: -1, completion_tokens: "7" }, null)).toBeNull();
    // No table has room for it, and one such record would keep a whole batch out.
    expect(readUsage({ prompt_tokens: 1e20, completion_tokens: Number.POSITIVE_INFINITY }, null)).toBeNull();
    expect(readUsage({ prompt_tokens: Number.NaN, completion_tokens: 2.9 }, null)).toEqual({
      inputTokens: 0,
      cachedTokens: 0,
      outputTokens: 2,
    });
    expect(readUsage({ total_tokens: 8 }, null)).toEqual({ inputTokens: 8, cachedTokens: 0, outputTokens: 0 });
  });

  it("keeps no more than a bounded piece of a usage object that never ends", () => {
    const scanner = new UsageScanner();
    scanner.push(Buffer.from('"usage":{"x":"'));
    for (let i = 0; i < 100; i++) scanner.push(Buffer.alloc(1000, 0x61));
    expect(scanner.push(Buffer.from('"}{"usage":{"prompt_tokens":1}}'))).toBe(true);
    expect(scanner.figures).toEqual({ inputTokens: 1, cachedTokens: 0, outputTokens: 0 });
  });
});
