/** What deserves a warning at the start: legal settings that will surprise somebody later. */
import { SETTINGS } from "./defaults";
import type { Settings } from "./env";

export interface StartWarning {
  /** Event name of the log line. */
  readonly event: string;
  readonly message: string;
}

export interface StartFacts {
  /** Sum of the configured sizes of the enabled pools, in slots. */
  readonly enabledPoolSlots: number;
}

/** Warnings in a fixed order; none for a sound configuration. */
export function startWarnings(settings: Settings, facts: StartFacts): StartWarning[] {
  const warnings: StartWarning[] = [];
  if (settings.globalMaxInFlight < facts.enabledPoolSlots) {
    warnings.push({
      event: "settings.ceiling_below_pools",
      message:
        `${SETTINGS.globalMaxInFlight.env} is ${settings.globalMaxInFlight}, below the ${facts.enabledPoolSlots} slots of ` +
        "the enabled pools; pools will wait for each other when they are busy together",
    });
  }
  if (settings.affinityMaxBypassSecs * 2 > settings.admissionTimeoutSecs) {
    warnings.push({
      event: "settings.bypass_near_timeout",
      message:
        `${SETTINGS.affinityMaxBypassSecs.env} (${settings.affinityMaxBypassSecs} s) is over half of ` +
        `${SETTINGS.admissionTimeoutSecs.env} (${settings.admissionTimeoutSecs} s); a passed request may time out before it goes next`,
    });
  }
  return warnings;
}
