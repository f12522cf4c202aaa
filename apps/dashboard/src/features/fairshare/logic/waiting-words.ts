import { reasonLabel } from "@obleth/fairshare/words";
import { formatCount } from "../../../lib/format";

interface Waiting {
  readonly queued: number;
  readonly waiting_by_reason: Readonly<Record<string, number | undefined>>;
}

/** "41 waiting: 22 below share, 14 key at its cap, 5 pool full": most first. */
export function waitingWords(pool: Waiting): string {
  if (pool.queued === 0) return "Nothing waits.";
  const parts = Object.entries(pool.waiting_by_reason)
    .filter((entry): entry is [string, number] => (entry[1] ?? 0) > 0)
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .map(([reason, requests]) => `${formatCount(requests)} ${causeOf(reason)}`);
  const total = `${formatCount(pool.queued)} waiting`;
  return parts.length === 0 ? `${total}.` : `${total}: ${parts.join(", ")}.`;
}

/** After a count of requests: theirs it must be, not that of the slots or gateways which a label begins with. */
const AFTER_COUNT: Readonly<Record<string, string>> = {
  held_slots: "behind held slots",
  fallback_split: "for this gateway's part of the slots",
  other_replica: "for a slot at another gateway",
};

function causeOf(reason: string): string {
  return Object.hasOwn(AFTER_COUNT, reason) ? (AFTER_COUNT[reason] ?? "") : lowerFirst(reasonLabel(reason));
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
