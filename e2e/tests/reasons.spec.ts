/** Each cause of a wait that one gateway can have is made on a real one, and the page says it in the engine's words. */
import { expectWhy } from "../support/explained";
import { expect, test } from "../support/fixtures";
import type { Load } from "../support/load";
import type { Stack } from "../support/stack";
import { standingRequests } from "../support/standing-requests";

let loads: Load[] = [];

test.afterEach(async () => {
  await Promise.all(loads.map((load) => load.stop()));
  loads = [];
});

/** A pool and tenants of its own, each in a group of its own, all of one weight. */
async function makePool(stack: Stack, model: string, { slots, tenants }: { slots: number; tenants: string[] }) {
  const { management } = stack;
  await management.call("createModel", {
    body: { name: model, max_in_flight: slots, api_base: `${stack.simulator.url}/v1` },
  });
  const made = new Map<string, { id: string; keyId: string; secret: string }>();
  for (const name of tenants) {
    await management.call("createGroup", { body: { name: `${name}-group`, weight: 100 } });
    const tenant = await management.call("createTenant", { body: { name, group: `${name}-group` } });
    const key = await management.call("createKey", { params: { id: tenant.data.id }, body: { name: `${name}-key` } });
    made.set(name, { id: tenant.data.id, keyId: key.data.key.id, secret: key.data.secret });
  }
  const of = (name: string) => made.get(name) ?? { id: "", keyId: "", secret: "" };
  const live = async (name: string) => {
    const { data } = await management.call("getFairshareLive", { query: { pool: model } });
    return data.pools[0]?.tenants?.find((tenant) => tenant.name === name);
  };
  return {
    of,
    live,
    url: `${stack.urls.dashboard}/fairshare?pool=${model}`,
    /** Sends so many of the tenant's requests and waits until as many more run, or wait, as said. */
    async send(name: string, requests: number, runs: number): Promise<void> {
      loads.push(standingRequests({ url: stack.urls.proxy, model, secret: of(name).secret, requests }));
      await expect
        .poll(async () => {
          const tenant = await live(name);
          return [tenant?.in_flight, tenant?.queued];
        })
        .toEqual([runs, requests - runs]);
    },
  };
}

/** A short request of a session, read to its end. */
async function sendStep(stack: Stack, secret: string, model: string): Promise<Response> {
  const response = await fetch(`${stack.urls.proxy}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json", "x-session-id": "one" },
    body: JSON.stringify({ model, max_tokens: 4, messages: [{ role: "user", content: "Hello" }] }),
  });
  await response.text();
  return response;
}

test("a tenant that waits below its share is told who has slots above theirs", async ({ adminPage: page, stack }) => {
  const pool = await makePool(stack, "why-below", { slots: 4, tenants: ["below-a", "below-b"] });
  await pool.send("below-a", 4, 4);
  await pool.send("below-b", 2, 0);
  await page.goto(pool.url);
  await expectWhy(
    page,
    "below-b",
    "below_share",
    "below-b has 0 of its 2 slots on why-below. below-a has 2 above its share; as those finish, tenants below their share go first.",
  );
});

test("who is first in line, who has its share and who has nothing waiting each reads so", async ({
  adminPage: page,
  stack,
}) => {
  const pool = await makePool(stack, "why-share", { slots: 4, tenants: ["share-a", "share-b"] });
  await pool.send("share-a", 2, 2);
  await page.goto(pool.url);
  await expectWhy(page, "share-a", "not_waiting", "share-a has nothing waiting on why-share.");
  await pool.send("share-b", 5, 2);
  loads.push(
    standingRequests({
      url: stack.urls.proxy,
      model: "why-share",
      secret: pool.of("share-a").secret,
      requests: 3,
    }),
  );
  await expect.poll(async () => (await pool.live("share-a"))?.queued).toBe(3);
  const isFirst = (await pool.live("share-a"))?.position === 1;
  const [first, second] = isFirst ? ["share-a", "share-b"] : ["share-b", "share-a"];
  await expectWhy(page, first, "next_in_line", `${first} is first in line on why-share: as things stand`);
  await expectWhy(
    page,
    second,
    "pool_full",
    `${second} has its share of why-share, 2 of 2, and asks for 3 more. It gets extra slots only while others leave theirs unused.`,
  );
});

test("in a full pool where nobody has more than its share, the place in line is told", async ({
  adminPage: page,
  stack,
}) => {
  const tenants = ["within-a", "within-b", "within-c"];
  const pool = await makePool(stack, "why-within", { slots: 1, tenants });
  await pool.send("within-a", 1, 1);
  await pool.send("within-b", 1, 0);
  await pool.send("within-c", 1, 0);
  const last = (await pool.live("within-b"))?.position === 2 ? "within-b" : "within-c";
  await page.goto(pool.url);
  await expectWhy(
    page,
    last,
    "pool_full",
    `why-within is full and nobody has more than its share. ${last} is 2nd in line`,
  );
});

test("a tenant's cap, a key's cap, the ceiling and missing servers each say what holds a wait", async ({
  adminPage: page,
  stack,
}) => {
  const { management } = stack;
  const pool = await makePool(stack, "why-caps", { slots: 4, tenants: ["capped"] });
  const { id, keyId } = pool.of("capped");
  const cap = { params: { id, model: "why-caps" } };
  await management.call("setModelCap", { ...cap, body: { max_in_flight: 2 } });
  await pool.send("capped", 5, 2);
  await page.goto(pool.url);
  await expectWhy(
    page,
    "capped",
    "tenant_cap",
    "capped uses the 2 slots its cap on why-caps allows. 2 slots are free, so only the cap is in the way.",
  );

  await management.call("updateKey", { params: { id: keyId }, body: { max_in_flight: 2 } });
  await management.call("deleteModelCap", cap);
  await expectWhy(page, "capped", "key_cap", "Key capped-key is at its cap of 2, so its 3 requests wait.");

  await management.call("setCapacity", { body: { global_max_in_flight: 2 } });
  await management.call("updateKey", { params: { id: keyId }, body: { max_in_flight: null } });
  await expectWhy(
    page,
    "capped",
    "global_ceiling",
    "All pools together use 2 of the 2 slots the ceiling allows. why-caps has 2 free, and waiting pools take turns.",
  );

  const model = await management.call("getModel", { params: { id: "why-caps" } });
  const at = { params: { id: "why-caps", eid: model.data.endpoints[0]?.id ?? "" } };
  await management.call("updateModel", { params: { id: "why-caps" }, body: { queue_without_servers: true } });
  await management.call("updateEndpoint", { ...at, body: { enabled: false } });
  await management.call("setCapacity", { body: { global_max_in_flight: null } });
  await expectWhy(
    page,
    "capped",
    "no_servers",
    "why-caps has nowhere to send a request: no endpoint is enabled. Requests wait for it and time out after 60 s.",
  );
});

test("slots held for sessions are named as what a waiting tenant lacks, and for how long", async ({
  adminPage: page,
  stack,
}) => {
  const pool = await makePool(stack, "why-held", { slots: 2, tenants: ["held-agent", "held-waiter"] });
  await stack.management.call("setSessionAffinity", {
    params: { id: "why-held" },
    body: { enabled: true, hold_ms: 60_000, max_held_percent: 50, max_bypass_secs: 3600 },
  });
  // The second step follows straight on the first: the session is a loop, and its slot is kept for a third.
  await expect
    .poll(async () => {
      await sendStep(stack, pool.of("held-agent").secret, "why-held");
      return (await pool.live("held-agent"))?.held;
    })
    .toBe(1);
  await pool.send("held-waiter", 2, 1);
  await page.goto(pool.url);
  await expectWhy(
    page,
    "held-waiter",
    "held_slots",
    /1 of why-held's 2 slots is held for sessions about to send their next step, for at most [\d.]+ s\. Without that, held-waiter would be running more\./,
  );
});

test("requests that were refused are told apart from waiting ones", async ({ adminPage: page, stack }) => {
  const { management } = stack;
  const pool = await makePool(stack, "why-refused", { slots: 4, tenants: ["refused"] });
  const { id, secret } = pool.of("refused");
  const model = await management.call("getModel", { params: { id: "why-refused" } });
  const at = { params: { id: "why-refused", eid: model.data.endpoints[0]?.id ?? "" } };
  await management.call("updateEndpoint", { ...at, body: { enabled: false } });
  await expect.poll(async () => (await sendStep(stack, secret, "why-refused")).status).toBe(503);
  await page.goto(`${pool.url}&tenant=${id}`);
  const panel = page.getByRole("dialog", { name: "refused" });
  const why = page.locator("[data-reason]");
  await expect(async () => {
    await panel.getByRole("button", { name: "Why refused stands so" }).click({ timeout: 5000 });
    await expect(why).toContainText(
      /\d+ requests? of refused (was|were) refused in the last hour: there was no server.*\. Refused requests do not wait\./,
      { timeout: 2000 },
    );
  }).toPass({ timeout: 30_000 });
});
