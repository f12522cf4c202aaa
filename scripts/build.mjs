/** `npm run build`: installs what is missing and builds every app that changed. */
import { requireNode } from "./launch/environment.mjs";
import { ensureBuilt, ensureInstalled } from "./launch/install.mjs";
import { exitWith } from "./launch/refusal.mjs";

await exitWith(async () => {
  requireNode();
  await ensureInstalled();
  await ensureBuilt();
  return 0;
});
