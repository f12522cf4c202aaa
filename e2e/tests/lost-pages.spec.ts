import { startBusyPool } from "../support/busy-pool";
import { expect, signIn, test, watchForComplaints } from "../support/fixtures";
import { LIST_PAGES, PAGES } from "../support/pages";

test("an address that leads nowhere says so and leads on, signed in or not", async ({ page, stack }) => {
  for (const isSignedIn of [false, true]) {
    if (isSignedIn) await signIn(page, stack);
    const answer = await page.goto(`${stack.urls.dashboard}/no-such-page`);
    expect(answer?.status()).toBe(404);
    await expect(page.getByRole("heading", { name: "There is no page here" })).toBeVisible();
    await expect(page).toHaveTitle(/No such page/);
  }
  await page.getByRole("link", { name: "Fairshare" }).click();
  await expect(page.getByRole("heading", { name: "Fairshare" })).toBeVisible();
});

test("the icon that browsers ask for by themselves is there", async ({ page, stack }) => {
  const answer = await page.request.get(`${stack.urls.dashboard}/favicon.ico`);
  expect([answer.status(), answer.headers()["content-type"]]).toEqual([200, "image/svg+xml"]);
});

test("a part that the server no longer has takes down the page alone, and a reload goes on where it was", async ({
  page,
  stack,
}) => {
  const pool = await startBusyPool(stack);
  try {
    await signIn(page, stack);
    await page.goto(`${stack.urls.dashboard}/fairshare?pool=${pool.model}`);
    await expect(page.getByRole("button", { name: "Show as table" })).toBeVisible();
    await page.waitForLoadState("networkidle");
    await page.route("**/_next/static/**", (route) => route.fulfill({ status: 404, body: "" }));
    await page.getByRole("link", { name: "chatbot" }).first().click();
    await expect(page.getByRole("heading", { name: "This page failed" })).toBeVisible();
    await expect(page.getByRole("navigation", { name: "Main" })).toBeVisible();
    await page.unroute("**/_next/static/**");
    await page.getByRole("button", { name: "Reload" }).click();
    await expect(page.getByRole("dialog", { name: "chatbot" })).toBeVisible();
  } finally {
    await pool.stop();
  }
});

/** Parts of an address as strangers, other versions and tired fingers leave them. */
const NONSENSE = [
  "%E0%A4%A",
  "%",
  "%00",
  "%ff%fe",
  "%2e%2e",
  "%F0%9F%92%A5%E2%80%AE",
  "__proto__",
  "constructor",
  "-1",
  "99999999999999999999",
  "NaN",
  "a".repeat(5000),
];
/** What the pages read from the address, and some that they do not. */
const PARAMETERS = [
  ..."actor all boosted budget by dir ended expand from group key kind mode model new next object paused pool".split(
    " ",
  ),
  ..."problem q range size sort sql state steps suspended tab tenant to token unused view w waiting waits".split(" "),
];

test("no address is answered with a fault: bad names, bad escapes and bad values lead to a page that says so", async ({
  page,
  stack,
}) => {
  test.setTimeout(240_000);
  const base = stack.urls.dashboard;
  const faults: string[] = [];
  for (const isSignedIn of [false, true]) {
    if (isSignedIn) await signIn(page, stack);
    const look = async (path: string, isFound?: boolean) => {
      const answer = await page.request.get(`${base}${path}`, { maxRedirects: 0 });
      const text = await answer.text();
      const isExplained = /<main|NEXT_REDIRECT/.test(text) || (answer.status() >= 300 && answer.status() < 400);
      const isRight = answer.status() < 500 && isExplained && (isFound ?? answer.status() === 404);
      if (!isRight) faults.push(`${answer.status()} for ${path.slice(0, 90)}`);
    };
    for (const value of NONSENSE) {
      for (const path of [
        `/${value}`,
        `/fairshare/${value}`,
        `/models/${value}`,
        `/tenants/${value}`,
        `/login/${value}`,
      ])
        await look(path, value === "%2e%2e" || /^\/(models|tenants)/.test(path) ? true : undefined);
      const query = PARAMETERS.map((name) => `${name}=${value}&${name}=${value}`).join("&");
      for (const path of ["/login", "/reset", ...PAGES]) {
        await look(`${path}${path.includes("?") ? "&" : "?"}${query}`.slice(0, 12_000), true);
      }
    }
  }
  expect(faults).toEqual([]);
});

test("a page whose address says nonsense is drawn as if it said nothing", async ({ page, stack }) => {
  test.setTimeout(180_000);
  const complaints = watchForComplaints(page);
  await signIn(page, stack);
  const { data } = await stack.management.call("listModels", {});
  const pool = encodeURIComponent(data.items[0]?.name ?? "");
  for (const value of ["99999999999999999999", "__proto__"]) {
    const query = PARAMETERS.filter((name) => name !== "pool" && name !== "paused")
      .map((name) => `${name}=${value}`)
      .join("&");
    for (const path of [...LIST_PAGES, `/fairshare?pool=${pool}&range=custom&steps=true`]) {
      await page.goto(`${stack.urls.dashboard}${path}${path.includes("?") ? "&" : "?"}${query}`);
      await expect(page.getByRole("heading", { level: 1 }).or(page.getByRole("dialog")).first()).toBeVisible();
      await page.waitForLoadState("networkidle");
      await expect(page.getByRole("heading", { name: "This page failed" }), path).toHaveCount(0);
    }
  }
  // What the API refuses is said beside what asked for it.
  expect(complaints.filter((one) => !/status of 4\d\d/.test(one))).toEqual([]);
});
