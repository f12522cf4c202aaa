/** Going about a page with the Tab key alone, as a reader without a pointer does. */
import { expect, type Locator, type Page } from "@playwright/test";

/** More stops than any page has between its content's beginning and what a test looks for. */
const MOST_STOPS = 150;

/** Longest that a toast, which goes by itself, may lie over what has the focus. */
const TOAST_MS = 15_000;

/** From the top of a page past its bars, by the link that is there for it. */
export async function skipToContent(page: Page): Promise<void> {
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
  await page.keyboard.press("Enter");
}

/** Presses Tab until the target has the focus; at every stop on the way the focus must be in sight, at the latest when a toast has gone. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible();
  for (let stop = 0; stop < MOST_STOPS; stop++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
    await expect.poll(() => hiddenFocus(page), { message: `stop ${stop}`, timeout: TOAST_MS }).toBeNull();
  }
  await expect(target).toBeFocused();
}

/** Why what has the focus cannot be seen; null when it can. */
function hiddenFocus(page: Page): Promise<string | null> {
  return page.evaluate(() => {
    const focused = document.activeElement;
    if (focused === null || focused === document.body) return "the focus is on nothing";
    const box = focused.getBoundingClientRect();
    const name = focused.getAttribute("aria-label") ?? focused.textContent?.slice(0, 40) ?? focused.tagName;
    const x = Math.min(Math.max(box.left + box.width / 2, 1), innerWidth - 1);
    const y = box.top + box.height / 2;
    if (y < 0 || y > innerHeight) return `${name} is out of view`;
    const top = document.elementFromPoint(x, y);
    const isSeen = top !== null && (focused.contains(top) || top.contains(focused));
    return isSeen ? null : `${name} is under ${top?.outerHTML.slice(0, 80)}`;
  });
}
