/** A Chromium or Chrome that is already on this machine; the tests download none. */
import { existsSync } from "node:fs";
import { Refusal } from "../launch/refusal.mjs";
import { installByApt, onPath } from "./services";

const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome"];
const PLACES = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

/** Its full path: `CHROMIUM_PATH`, else PATH, else the usual places, else installed by apt where that is possible. */
export function findChromium(): string {
  const found =
    process.env.CHROMIUM_PATH ||
    onPath(NAMES) ||
    PLACES.find((place) => existsSync(place)) ||
    (installByApt("chromium") ? onPath(NAMES) : undefined);
  if (found === undefined) {
    throw new Refusal("The end-to-end tests need Chromium or Chrome: install one, or name it in CHROMIUM_PATH.");
  }
  return found;
}
