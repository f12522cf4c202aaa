import { getSettings } from "./server/settings";

/** Stops a misconfigured server at its start instead of at the first request. */
export function register(): void {
  if (process.env.NEXT_RUNTIME === "nodejs") getSettings();
}
