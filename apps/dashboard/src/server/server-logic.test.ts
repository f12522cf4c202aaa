import { describe, expect, it } from "vitest";
import { firstView } from "./first-answers";
import { spanOf } from "./first-history";
import { safeNext } from "./safe-next";
import { isSameOrigin } from "./same-origin";
import { parseSettings } from "./settings";

describe("where signing in returns to", () => {
  it("is the path asked for, query and all", () => {
    expect(safeNext("/fairshare?pool=org%2Fm&tenant=t#x")).toBe("/fairshare?pool=org%2Fm&tenant=t#x");
  });
  it.each([
    "https://evil.example",
    "//evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "javascript:alert(1)",
    "/%09/evil",
    " /x",
    "",
    null,
    "/login?next=/",
    "/api/v1/tenants",
  ])("is a page of this site for %j", (next) => {
    const target = safeNext(next);
    expect(new URL(target, "http://here.example").origin).toBe("http://here.example");
    expect(target.startsWith("//")).toBe(false);
    expect(target).not.toMatch(/^\/(login|api)/);
  });
  it("ignores tabs and newlines that browsers strip from addresses", () => {
    expect(safeNext("/\t/evil.example")).toBe("/");
    expect(safeNext("/\n/evil.example")).toBe("/");
  });
});

describe("a write's origin", () => {
  const from = (headers: Record<string, string>) => isSameOrigin(new Headers({ host: "dash.example", ...headers }));
  it("is accepted from this site's own pages", () => {
    expect(from({ "sec-fetch-site": "same-origin" })).toBe(true);
    expect(from({ origin: "https://dash.example" })).toBe(true);
  });
  it("is refused from other sites, sibling subdomains and without proof", () => {
    expect(from({ "sec-fetch-site": "cross-site" })).toBe(false);
    expect(from({ "sec-fetch-site": "same-site", origin: "https://dash.example" })).toBe(false);
    expect(from({ origin: "https://evil.dash.example" })).toBe(false);
    expect(from({ origin: "null" })).toBe(false);
    expect(from({})).toBe(false);
  });
});

describe("settings", () => {
  const secret = "s".repeat(32);
  it("complete the management address", () => {
    const settings = parseSettings({ OBLETH_SESSION_SECRET: secret, OBLETH_MANAGEMENT_URL: "http://gw:9180" });
    expect(settings).toMatchObject({ sessionSecret: secret });
    expect(Array.isArray(settings) ? "" : settings.managementUrl.href).toBe("http://gw:9180/api/v1");
  });
  it("keep an address that already names the API, below a path as well", () => {
    const settings = parseSettings({
      OBLETH_SESSION_SECRET: secret,
      OBLETH_MANAGEMENT_URL: "https://x/obleth/api/v1/",
    });
    expect(Array.isArray(settings) ? "" : settings.managementUrl.href).toBe("https://x/obleth/api/v1");
  });
  it("list every problem at once, without the secret", () => {
    const problems = parseSettings({ OBLETH_SESSION_SECRET: "short", OBLETH_MANAGEMENT_URL: "ftp://x" });
    expect(problems).toHaveLength(2);
    expect(JSON.stringify(problems)).not.toContain('short"');
  });
});

describe("what comes with a page", () => {
  it("is the summary of all pools, or the open pool, where the page shows them", () => {
    const list = { pool: null, isOverview: false, range: null };
    expect(firstView("/fairshare")).toEqual(list);
    expect(firstView("/fairshare?q=llama&state=full&range=1h")).toEqual(list);
    const pool = { pool: "org/model-7b", isOverview: false };
    expect(firstView("/fairshare?pool=org%2Fmodel-7b&tenant=t")).toEqual({ ...pool, range: "15m" });
    expect(firstView("/fairshare?pool=org%2Fmodel-7b&range=1h")).toEqual({ ...pool, range: "1h" });
    expect(firstView("/")).toEqual({ pool: null, isOverview: true, range: "1h" });
    expect(firstView("/?range=24h")).toEqual({ pool: null, isOverview: true, range: "24h" });
  });
  it.each(["/fairshare/groups", "/models", "/keys?key=1", "http://evil.example/fairshare", "//", "//:x/", "", null])(
    "is nothing for %j",
    (requested) => {
      expect(firstView(requested)).toBeNull();
    },
  );
  it("tells of a span that pages have, and of no other word", () => {
    expect(["15m", "1h", "24h"].map(spanOf)).toEqual([900_000, 3_600_000, 86_400_000]);
    expect(["custom", "constructor", "__proto__", ""].map(spanOf)).toEqual([null, null, null, null]);
  });
});
