/** What a reader types, chooses and ticks while a page's scripts are still on their way is not lost when they run. */
import type { Page, Route } from "@playwright/test";
import { expect, signIn, test } from "../support/fixtures";
import { LIST_PAGES } from "../support/pages";

/** Holds every script of the pages back until it is let go. */
async function holdScripts(page: Page): Promise<() => Promise<void>> {
  const held: Route[] = [];
  let isOpen = false;
  await page.route(/\/_next\/static\/.*\.js/, (route) => (isOpen ? route.continue() : void held.push(route)));
  return async () => {
    isOpen = true;
    await Promise.all(held.map((route) => route.continue()));
  };
}

/** In the names of the sample data, so that a filter leaves something to see. */
const SOME_TEXT = "a";

type Changed = Readonly<Record<string, string>>;

/** Does to every control that the server drew what a reader can do. @returns what each then says, by its name */
async function changeAll(page: Page): Promise<Changed> {
  const changed: Record<string, string> = {};
  for (const control of await page.locator("#content").locator("input, select, textarea").all()) {
    if (await control.isDisabled()) continue;
    const { name, kind, isNumber, other } = await control.evaluate((element) => {
      const field = element as HTMLInputElement | HTMLSelectElement;
      const options = field instanceof HTMLSelectElement ? [...field.options] : [];
      return {
        name: field.getAttribute("aria-label") ?? field.labels?.[0]?.textContent ?? "",
        kind: field.type,
        isNumber: field.inputMode === "numeric",
        other: options.find((option) => !option.defaultSelected && option.value !== field.value)?.value ?? null,
      };
    });
    if (kind === "checkbox" || kind === "radio") await control.click();
    else if (kind === "select-one") await (other === null ? undefined : control.selectOption(other));
    else await control.fill(isNumber ? "12" : SOME_TEXT);
    changed[name] = await shown(control);
  }
  return changed;
}

const shown = (control: ReturnType<Page["locator"]>) =>
  control.evaluate((element) => {
    const field = element as HTMLInputElement;
    return field.type === "checkbox" || field.type === "radio" ? String(field.checked) : field.value;
  });

test("every control that a page has before its scripts keeps what was put in it", async ({ page, stack }) => {
  test.setTimeout(180_000);
  await signIn(page, stack);
  const seen: string[] = [];
  for (const path of LIST_PAGES) {
    const letGo = await holdScripts(page);
    await page.goto(`${stack.urls.dashboard}${path}`, { waitUntil: "commit" });
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    const forms = await page
      .locator("form")
      .evaluateAll((found) =>
        found.filter(
          (form) => (form as HTMLFormElement).method !== "post" && !form.querySelector("[type=submit]:disabled"),
        ),
      );
    expect(forms, `${path}: a form that would put what was typed into the address`).toEqual([]);
    const changed = await changeAll(page);
    seen.push(...Object.keys(changed).map((name) => `${path} ${name}`));
    await letGo();
    await page.unrouteAll({ behavior: "ignoreErrors" });
    if (Object.keys(changed).length === 0) continue;
    await page.waitForLoadState("networkidle");
    // The page is drawn anew with what it knows.
    await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
    await page.keyboard.press("p");
    await expect(page.locator("[data-freshness=paused]")).toBeVisible();
    for (const [name, value] of Object.entries(changed)) {
      const control = page.locator("#content").getByLabel(name, { exact: true });
      await expect(control, `${path} ${name}`).toHaveCount(1);
      expect(await shown(control), `${path} ${name}`).toBe(value);
    }
  }
  expect(seen).toEqual(
    expect.arrayContaining(["/fairshare Filter pools by name", "/usage Grouped by", "/audit Search changes"]),
  );
});

test("a filter typed early is in force, in the list and in the address", async ({ page, stack }) => {
  await signIn(page, stack);
  const letGo = await holdScripts(page);
  await page.goto(`${stack.urls.dashboard}/fairshare`, { waitUntil: "commit" });
  await page.getByLabel("Filter pools by name").fill("no-such");
  await letGo();
  await expect(page).toHaveURL(/q=no-such/);
  await expect(page.locator("[data-row]")).toHaveCount(0);
});

test("keys pressed early are answered once the scripts are there, each once", async ({ page, stack }) => {
  await signIn(page, stack);
  for (const { keys, seen } of [
    { keys: ["p"], seen: () => expect(page.locator("[data-freshness=paused]")).toBeVisible() },
    { keys: ["Control+k"], seen: () => expect(page.getByPlaceholder(/^Search/)).toBeFocused() },
    { keys: ["Shift+?"], seen: () => expect(page.getByRole("dialog", { name: "Keyboard" })).toBeVisible() },
    { keys: ["/"], seen: () => expect(page.getByLabel("Filter pools by name")).toBeFocused() },
    { keys: ["g", "t"], seen: () => expect(page).toHaveURL(/\/tenants$/) },
  ]) {
    const letGo = await holdScripts(page);
    await page.goto(`${stack.urls.dashboard}/fairshare`, { waitUntil: "commit" });
    await expect(page.getByRole("heading", { level: 1, name: "Fairshare" })).toBeVisible();
    for (const key of keys) await page.keyboard.press(key);
    await letGo();
    await seen();
    await page.waitForLoadState("networkidle");
    await seen();
    await page.unrouteAll({ behavior: "ignoreErrors" });
  }
});

test("a button pressed early is answered once the scripts are there, and once", async ({ page, stack }) => {
  await signIn(page, stack);
  const letGo = await holdScripts(page);
  await page.goto(`${stack.urls.dashboard}/fairshare`, { waitUntil: "commit" });
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  await letGo();
  await expect(page.locator("[data-freshness=paused]")).toBeVisible();
  await page.waitForLoadState("networkidle");
  await expect(page.locator("[data-freshness=paused]")).toBeVisible();
  await page.getByRole("button", { name: "Resume", exact: true }).click();
  await expect(page.locator("[data-freshness=live]")).toBeVisible();
});

test("who types a password when the scripts of the sign-in come stays in that field, and the form is posted", async ({
  page,
  stack,
}) => {
  const letGo = await holdScripts(page);
  await page.goto(`${stack.urls.dashboard}/login`, { waitUntil: "commit" });
  await page.getByLabel("Email").fill(stack.login.email);
  await page.getByLabel("Password").pressSequentially(stack.login.password.slice(0, 4));
  await letGo();
  await page.waitForLoadState("networkidle");
  await expect(page.getByLabel("Password")).toBeFocused();
  await page.keyboard.type(stack.login.password.slice(4));
  await expect(page.getByLabel("Email")).toHaveValue(stack.login.email);
  const posted = page.waitForRequest((request) => request.url().includes("/api/session"));
  await page.keyboard.press("Enter");
  expect((await posted).method()).toBe("POST");
  expect((await posted).url()).not.toContain("password");
  await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
});
