/** Going about a page with the Tab key alone, as a reader without a pointer does. */
import { expect, type Locator, type Page } from "@playwright/test";

/** More stops than any page has between its content's beginning and what a test looks for. */
const MOST_STOPS = 150;

/** From the top of a page past its bars, by the link that is there for it. */
export async function skipToContent(page: Page): Promise<void> {
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
  await page.keyboard.press("Enter");
}

/** Presses Tab until the target has the focus; at every stop on the way the focus must be in sight, and under no toast. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible();
  for (let stop = 0; stop < MOST_STOPS; stop++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
    await expectInSight(page, `stop ${stop}`);
  }
  await expect(target).toBeFocused();
}

/** Presses Enter on what Tab leads to. */
export async function pressOn(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press("Enter");
}

/** What has the focus can be seen whole of toasts and bars. */
export async function expectInSight(page: Page, where: string): Promise<void> {
  expect(await hiddenFocus(page), where).toBeNull();
}

/** Why what has the focus cannot be seen once the page has been drawn; null when it can. */
function hiddenFocus(page: Page): Promise<string | null> {
  return page.evaluate(async () => {
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
    const focused = document.activeElement;
    if (focused === null || focused === document.body) return "the focus is on nothing";
    const box = focused.getBoundingClientRect();
    const name = focused.getAttribute("aria-label") ?? focused.textContent?.slice(0, 40) ?? focused.tagName;
    const x = Math.min(Math.max(box.left + box.width / 2, 1), innerWidth - 1);
    const y = box.top + box.height / 2;
    if (y < 0 || y > innerHeight) return `${name} is out of view`;
    const top = document.elementFromPoint(x, y);
    const isSeen = top !== null && (focused.contains(top) || top.contains(focused));
    if (!isSeen) return `${name} is under ${top?.outerHTML.slice(0, 80)}`;
    for (const toast of document.querySelectorAll("[data-sonner-toast]")) {
      const over = toast.getBoundingClientRect();
      const isApart =
        over.right <= box.left || over.left >= box.right || over.bottom <= box.top || over.top >= box.bottom;
      if (!isApart && !toast.contains(focused)) return `${name} is under the toast ${toast.textContent}`;
    }
    return null;
  });
}
