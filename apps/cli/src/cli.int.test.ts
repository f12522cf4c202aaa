/** The command line as a process, against a gateway as a process on a real Postgres. */
import { execFile, execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFailed } from "vitest";
import { parse } from "yaml";
import { GatewayProcess, removeBundle, until } from "../../gateway/src/testing/gateway-process";
import { HeldBackend } from "../../gateway/src/testing/held-backend";

const APP = path.resolve(import.meta.dirname, "..");
/** Built first: it starts in a fraction of the time, and is what people run. */
const BUNDLE = [path.join(APP, "dist/main.js")];
/** Runs the gateway's tasks from source too. */
const SOURCE = ["--import", "tsx", path.join(APP, "src/main.ts")];
const ROOT = path.resolve(import.meta.dirname, "../../..");

let folder: string;
let backend: HeldBackend;
let gateway: GatewayProcess;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "obleth-cli-"));
  execFileSync(process.execPath, ["build.mjs"], { cwd: APP });
  backend = await HeldBackend.start();
  gateway = await GatewayProcess.start(path.join(folder, "data"), {
    OBLETH_SIM_BACKEND_URL: backend.url,
    OBLETH_SHUTDOWN_GRACE_SECS: "5",
  });
}, 120_000);

afterEach(() => {
  backend.letGo();
  backend.isOpen = true;
});

afterAll(async () => {
  backend?.letGo();
  await gateway?.stop();
  backend?.stop();
  removeBundle();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs `obleth` where the gateway's data folder is, with nothing else set. */
function obleth(args: readonly string[], env: Record<string, string> = {}, program = BUNDLE): Promise<Ran> {
  return new Promise((resolve) => {
    const options = {
      cwd: ROOT,
      env: { PATH: process.env.PATH ?? "", OBLETH_DATA_DIR: gateway.dataDir, ...env },
    };
    const child = execFile(process.execPath, [...program, ...args], options, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err });
    });
    child.stdin?.end();
    onTestFailed(() => console.log(args.join(" ")));
  });
}

/** Runs it with --json and reads the answer; the command must succeed. */
async function answer(...args: string[]): Promise<unknown> {
  const { code, out, err } = await obleth([...args, "--json"]);
  expect(code, err).toBe(0);
  return JSON.parse(out);
}

describe("objects", () => {
  it("are found with nothing set, made, changed, read and deleted", async () => {
    const listed = await obleth(["tenants", "list"]);
    expect(listed.err).toBe("");
    expect(listed.out).toMatch(/^NAME +GROUP +WEIGHT/);
    expect(listed.out).toContain("chatbot");

    const made = await answer("tenants", "create", "50", "--set", "weight=50", "--set", "description=a=b");
    expect(made).toMatchObject({ name: "50", weight: 50, description: "a=b" });
    const changed = await obleth(["tenants", "set", "50", "weight=120", "--if-version", "1"]);
    expect(changed.out).toMatch(/Changed tenant 50:\n {2}weight +50 -> 120/);
    const stale = await obleth(["tenants", "set", "50", "weight=7", "--if-version", "1"]);
    expect(stale).toMatchObject({ code: 4, out: "" });
    expect(await answer("tenants", "get", "50")).toMatchObject({ weight: 120 });

    const asked = await obleth(["tenants", "delete", "50"]);
    expect(asked).toMatchObject({ code: 2 });
    expect(asked.err).toContain("--yes");
    expect((await obleth(["tenants", "delete", "50", "--yes"])).code).toBe(0);
    const gone = await obleth(["tenants", "get", "50"]);
    expect(gone).toMatchObject({ code: 1, out: "" });
    expect(gone.err).toContain("There is no tenant named 50.");
  });

  it("are not touched by a dry run, which shows what would move", async () => {
    const { code, out } = await obleth(["tenants", "set", "chatbot", "weight=77", "--dry-run"]);
    expect(code).toBe(0);
    expect(out).toMatch(/Nothing was written[\s\S]*weight {2}500 -> 77/);
    expect(await answer("tenants", "get", "chatbot")).toMatchObject({ weight: 500 });
  });

  it("refuse what the state does not allow as a conflict, and wrong usage before asking anybody", async () => {
    await answer("groups", "create", "busy", "--set", "weight=300");
    await answer("tenants", "create", "in busy", "--set", "group=busy");
    expect(await obleth(["groups", "delete", "busy", "--yes"])).toMatchObject({ code: 4 });
    const typo = await obleth(["groups", "set", "busy", "wieght=1"]);
    expect(typo).toMatchObject({ code: 2 });
    expect(typo.err).toContain("wieght");
    const bad = await obleth(["groups", "set", "busy", "weight=0", "--json"]);
    expect(bad).toMatchObject({ code: 2, out: "" });
    expect(JSON.parse(bad.err)).toMatchObject({ error: { code: "usage" } });
  });

  it("show the secret of a key once, alone on the output, and it works", async () => {
    const made = await obleth(["keys", "create", "laptop", "--tenant", "chatbot"]);
    expect(made.code).toBe(0);
    const secret = made.out.trim();
    expect(secret).toMatch(/^sk_\S+$/);
    expect((await gateway.chat(secret)).status).toBe(200);
    const rotated = await obleth(["keys", "rotate", "laptop", "--tenant", "chatbot"]);
    expect(rotated.out.trim()).not.toBe(secret);
    expect((await gateway.chat(rotated.out.trim())).status).toBe(200);
    expect((await obleth(["keys", "list"])).out).not.toContain(secret.slice(20));
  });

  it("include people: a link that lets one choose a password, once, alone on the output", async () => {
    const listed = (await answer("users", "list")) as { items: { email: string }[] };
    const email = listed.items[0]?.email ?? "";
    const asked = ["users", "reset-link", email.toUpperCase(), "--dashboard", "https://console.example/"];
    const { code, out, err } = await obleth(asked);
    expect(code, err).toBe(0);
    expect(out).toMatch(/^https:\/\/console\.example\/reset\?token=\S+\n$/);
    const choose = () =>
      fetch(`${gateway.run.admin}/api/v1/auth/reset`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          token: new URL(out.trim()).searchParams.get("token"),
          new_password: "a password of my own",
        }),
      });
    expect((await choose()).ok).toBe(true);
    expect((await choose()).ok).toBe(false);
    const nobody = await obleth(["users", "reset-link", "nobody@example.com"]);
    expect([nobody.code, nobody.out]).toEqual([1, ""]);
    expect(nobody.err).toContain("Nobody signs in as nobody@example.com");
  });

  it("include boosts, which say how long and end on demand", async () => {
    const args = ["--tenant", "chatbot", "--factor", "3", "--reason", "an incident", "--for", "30m"];
    const made = (await answer("boosts", "create", ...args)) as { id: string; expires_at: string };
    const minutes = (Date.parse(made.expires_at) - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(25);
    expect(minutes).toBeLessThan(31);
    expect((await obleth(["boosts", "list"])).out).toMatch(/chatbot +\(all\) +x3/);
    expect((await obleth(["boosts", "delete", made.id, "--yes"])).code).toBe(0);
    expect(await answer("boosts", "list")).toMatchObject({ total: 0 });
  });

  it("with hostile names leave the terminal alone", async () => {
    const name = "\u202eevil <img src=x> 日本";
    await answer("tenants", "create", name);
    const { out } = await obleth(["tenants", "list"]);
    expect(out).toContain("\\u{202e}evil <img src=x> 日本");
    expect(out.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect((await obleth(["tenants", "delete", name, "--yes"])).code).toBe(0);
  });
});

describe("a busy pool", () => {
  it("is seen, explained and previewed", async () => {
    backend.isOpen = false;
    const { chatbot = "", "api-batch": batch = "" } = gateway.sampleKeys;
    const calls = [
      ...Array.from({ length: 12 }, () => gateway.chat(chatbot)),
      gateway.chat(batch),
      gateway.chat(batch),
    ];
    await until(() => backend.held.length === 8);
    await until(async () => {
      const live = (await (await gateway.manage("GET", "/fairshare/live")).json()) as { queued: number };
      return live.queued === 6;
    });

    expect((await obleth(["top"])).out).toMatch(/sim-chat +\[#{12}\] +8\/8 +6 /);
    expect((await obleth(["top", "sim-chat"])).out).toMatch(/chatbot +\S+ +500 /);
    expect(await answer("top")).toMatchObject({ queued: 6 });

    const why = await obleth(["explain", "sim-chat"]);
    expect(why.out).toMatch(/^(chatbot|api-batch): /m);
    expect(why.out).toContain("What can be done:");
    expect(await answer("explain", "sim-chat", "api-batch")).toMatchObject({ explanations: [{ name: "api-batch" }] });

    const preview = await obleth(["preview", "--tenant-weight", "api-batch=500", "--pool-size", "sim-chat=40"]);
    expect(preview.code).toBe(0);
    expect(preview.out).toMatch(/sim-chat, 8 slots -> 40 slots/);
    expect(preview.out).toMatch(/api-batch +\S+ +50 -> 500/);
    expect(await answer("tenants", "get", "api-batch")).toMatchObject({ weight: 50 });

    backend.isOpen = true;
    backend.letGo();
    for (const { status } of await Promise.all(calls)) expect(status).toBe(200);
  });
});

describe("a configuration file", () => {
  const write = (text: string) => {
    const file = path.join(folder, "obleth.yaml");
    writeFileSync(file, text);
    return file;
  };
  const FILE = `
groups: [{name: research, weight: 250}]
models:
  - name: llama
    max_in_flight: 20
    api_base: http://127.0.0.1:1/v1
    api_key: \${UPSTREAM_KEY}
tenants:
  - {name: nightly, group: research, weight: 120, allowed_models: [llama]}
keys: [{tenant: nightly, name: ci}]
`;

  it("is planned, applied whole with its credentials and keys, and then changes nothing more", async () => {
    const file = write(FILE);
    const env = { UPSTREAM_KEY: "upstream-canary-key" };
    const dry = await obleth(["apply", "-f", file, "--dry-run"], env);
    expect(dry).toMatchObject({ code: 0, err: "" });
    expect(dry.out).toMatch(/\+ group research\n {4}weight: 250/);
    expect((await obleth(["tenants", "get", "nightly"])).code).toBe(1);
    expect(await obleth(["apply", "-f", file], env)).toMatchObject({ code: 2 });

    const done = await obleth(["apply", "-f", file, "--yes"], env);
    expect(done.code, done.err).toBe(0);
    const [, secret = ""] = /shown this once: (sk_\S+)/.exec(done.out) ?? [];
    expect(secret).not.toBe("");
    expect(await answer("tenants", "get", "nightly")).toMatchObject({ group: "research", weight: 120, key_count: 1 });
    expect(await answer("models", "get", "llama")).toMatchObject({ endpoints: [{ api_key_set: true }] });
    expect(dry.out + done.out).not.toContain("canary");

    const again = await obleth(["apply", "-f", file, "--yes"], env);
    expect(again.out).toContain("0 objects to make, 0 to change, 4 as they are.");
  });

  it("is refused whole, with the place, when the gateway does not take it", async () => {
    const file = write("groups: [{name: half, weight: 5}]\ntenants: [{name: broken, weight: 0}]\n");
    const refused = await obleth(["apply", "-f", file, "--yes"]);
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.err).toContain("tenants.0.weight");
    expect((await obleth(["groups", "get", "half"])).code).toBe(1);
  });

  it.each([
    ["while its plan is checked", "/config/import?dry_run=true"],
    ["at the last moment", "/config/import"],
  ])("is not written over somebody's edit made %s", async (_, moment) => {
    await answer("groups", "create", `edited at ${moment}`, "--set", "weight=10");
    const file = write(`groups: [{name: "edited at ${moment}", weight: 20}]`);
    const between = await Relay.to(gateway.run.admin, `/api/v1${moment}`, async () => {
      await answer("groups", "set", `edited at ${moment}`, "weight=15");
    });
    const env = { OBLETH_ADMIN_TOKEN: gateway.file("admin-token") };
    const late = await obleth(["apply", "-f", file, "--yes", "--url", between.url, "--json"], env);
    between.close();
    expect(late).toMatchObject({ code: 4, out: "" });
    expect(JSON.parse(late.err)).toMatchObject({ error: { message: expect.stringContaining("somebody else") } });
    expect(await answer("groups", "get", `edited at ${moment}`)).toMatchObject({ weight: 15 });
    expect((await obleth(["apply", "-f", file, "--yes"])).code).toBe(0);
    expect(await answer("groups", "get", `edited at ${moment}`)).toMatchObject({ weight: 20 });
  });

  it("made by export brings back what it says and is its owner's to read", async () => {
    const file = path.join(folder, "export.yaml");
    expect((await obleth(["export", "-o", file])).code).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(parse(readFileSync(file, "utf8"))).toMatchObject({ format: "obleth.config/1" });
    const none = (await answer("apply", "-f", file, "--yes")) as { changes: unknown[]; applied: boolean };
    expect(none).toMatchObject({ changes: [], applied: false });
    await answer("tenants", "set", "chatbot", "weight=9");
    const back = await obleth(["apply", "-f", file, "--yes"]);
    expect(back.out).toMatch(/~ tenant chatbot\n {4}weight: 9 -> 500/);
    expect(await answer("tenants", "get", "chatbot")).toMatchObject({ weight: 500 });
  });
});

describe("the way to the gateway", () => {
  it("is named when nobody answers, and a wrong token is told apart", async () => {
    const away = await obleth(["tenants", "list", "--url", "http://127.0.0.1:9"]);
    expect(away).toMatchObject({ code: 3, out: "" });
    expect(away.err).toContain("http://127.0.0.1:9");
    const wrong = await obleth(["tenants", "list"], { OBLETH_ADMIN_TOKEN: "wrong-canary" });
    expect(wrong).toMatchObject({ code: 1, out: "" });
    expect(wrong.err).toContain("OBLETH_ADMIN_TOKEN");
    expect(wrong.err).not.toContain("canary");
    const proxy = await obleth(["tenants", "list", "--url", gateway.run.proxy]);
    expect(proxy.code).toBe(1);
    expect(proxy.err).toContain("management");
  });
});

/** Passes calls on to a gateway, and does something first when one is for a certain route. */
class Relay {
  private constructor(readonly server: Server) {}

  static async to(target: string, route: string, first: () => Promise<void>): Promise<Relay> {
    const server = createServer(async (request, response) => {
      const body = await buffer(request);
      if (request.url === route) await first();
      const headers = new Headers();
      for (const name of ["authorization", "content-type", "if-match"]) {
        const value = request.headers[name];
        if (typeof value === "string") headers.set(name, value);
      }
      const init: RequestInit = { method: request.method ?? "GET", headers };
      const answered = await fetch(target + request.url, body.length === 0 ? init : { ...init, body });
      const etag = answered.headers.get("etag");
      response.writeHead(answered.status, { "content-type": "application/json", ...(etag === null ? {} : { etag }) });
      response.end(await answered.text());
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new Relay(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

/** Runs it from source, so that the gateway's program beside it is the source too. */
const task = (args: readonly string[], env: Record<string, string> = {}) => obleth(args, env, SOURCE);

describe("tasks of the gateway's program", () => {
  it("print the settings in force with secrets masked, and every problem at once", async () => {
    const good = await task(["config", "check"], {
      OBLETH_ADMIN_TOKEN: "a-canary-token-that-is-long-enough-for-this",
    });
    expect(good.code, good.err).toBe(0);
    expect(good.out).toMatch(/OBLETH_ADMIN_TOKEN=\(hidden, \d+ characters\) {2}\(set\)/);
    expect(good.out).not.toContain("canary");
    const bad = await task(["config", "check"], { OBLETH_PROXY_LISTEN: "nowhere", OBLETH_GLOBAL_MAX_IN_FLIGHT: "x" });
    expect(bad.code).toBe(1);
    expect(bad.err).toMatch(/OBLETH_PROXY_LISTEN[\s\S]*OBLETH_GLOBAL_MAX_IN_FLIGHT/);
  });

  it("migrate a database that no gateway holds, and leave one that a gateway does", async () => {
    expect((await task(["migrate"])).code).toBe(1);
    const fresh = { OBLETH_DATA_DIR: path.join(folder, "fresh") };
    const first = await task(["migrate"], fresh);
    expect(first.code, first.err).toBe(0);
    expect(first.out).toMatch(/^Applied \d+ migration/);
    expect((await task(["migrate", "--json"], fresh)).out.trim()).toBe('{"applied":0}');
  });
});
