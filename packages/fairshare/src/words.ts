/**
 * The words for waits and what can be done about them: one function for page, API and command line, so that all say
 * the same. Takes data only; guesses nothing. At most two sentences and one note, each below thirty words; numbers are
 * those of the explanation. Promises no start and blames nobody.
 *
 * The only module of the package that may use `Intl`: words are not decisions.
 */
import type { Action, ActionKind, BreakdownPart, Explanation, Note } from "./explain-data";
import type { WaitReason } from "./snapshot";

export type { Action, ActionKind, Explanation, Note } from "./explain-data";

/** What words depend on besides the explanation. */
export interface WordOptions {
  /** Zone in which times of day are written. */
  readonly timeZone: string;
}

/** What a reader sees, most important first. */
export interface ExplanationWords {
  /** One or two. */
  readonly sentences: readonly string[];
  /** The most important thing that is true beside the reason; null when there is none. */
  readonly note: string | null;
  /** Set when a tenant's requests wait for several causes. */
  readonly breakdown: string | null;
}

/** Below this a wait is not worth explaining: it is over before it is read. */
const TOO_SHORT_TO_EXPLAIN_MS = 250;
/** Where the reader's zone is not known, times are in UTC, as in logs. */
const DEFAULT_OPTIONS: WordOptions = { timeZone: "UTC" };

/** Says why a request waits. A reason this version does not know reads "Waiting (code)." */
export function explanationWords(explanation: Explanation, options: WordOptions = DEFAULT_OPTIONS): ExplanationWords {
  const { oldestWaitMs, reason } = explanation;
  if (reason !== "not_waiting" && oldestWaitMs !== null && oldestWaitMs < TOO_SHORT_TO_EXPLAIN_MS) {
    return { sentences: ["Waiting for under a second."], note: null, breakdown: null };
  }
  const [note] = explanation.notes;
  return {
    sentences: sentencesFor(explanation, options).filter((sentence) => sentence !== ""),
    note: note === undefined ? null : noteWords(note, explanation, options),
    breakdown: breakdownWords(explanation.breakdown),
  };
}

/** One or two sentences for each reason; empty ones are left out by the caller. */
function sentencesFor(e: Explanation, options: WordOptions): string[] {
  const { numbers: n, tenantName: tenant, pool } = e;
  switch (e.reason) {
    case "not_waiting":
      return notWaiting(e);
    case "no_servers":
      return noServers(e);
    case "tenant_cap":
      return tenantCap(e);
    case "key_cap":
      return keyCap(e);
    case "global_ceiling":
      return [
        `All pools together use ${slots(n.ceilingInUse)} of the ${slots(n.ceiling)} slots the ceiling allows.`,
        `${pool} has ${slots(n.poolFree)} free, and waiting pools take turns.`,
      ];
    case "fallback_split":
      return [
        `${sharingState(e, options)}, so this gateway may use ${slots(n.poolSize)} of ${pool}'s ${counted(n.poolConfiguredSize, "slot")}, all in use.`,
        "Another gateway may have room.",
      ];
    case "other_replica":
      return otherReplica(e);
    case "held_slots":
      return [
        `${slots(n.poolHeld)} of ${pool}'s ${counted(n.poolSize, "slot")} ${n.poolHeld === 1 ? "is" : "are"} held for sessions about to send their next step${e.holdLeftMs === null ? "" : `, for at most ${formatDuration(e.holdLeftMs)}`}.`,
        `Without that, ${tenant} would be running more.`,
      ];
    case "below_share":
      return belowShare(e);
    case "next_in_line":
      return [
        `${tenant} is first in line on ${pool}: as things stand, the next free slot goes to it.`,
        e.finishGapMs === null ? "" : `One frees about every ${formatDuration(e.finishGapMs)}.`,
      ];
    case "pool_full":
      return poolFull(e);
    default:
      return [`Waiting (${String(e.reason satisfies never)}).`];
  }
}

/** Refused requests are worth a sentence, as somebody who asks why "it waits" often means them. */
function notWaiting(e: Explanation): string[] {
  if (e.cause !== "refused" || e.refused === null) return [`${e.tenantName} has nothing waiting on ${e.pool}.`];
  return [
    `${counted(e.refused.requests, "request")} of ${e.tenantName} ${e.refused.requests === 1 ? "was" : "were"} refused in the last hour: ${e.refused.cause}.`,
    "Refused requests do not wait.",
  ];
}

/** What is missing, and what happens to requests meanwhile. */
function noServers(e: Explanation): string[] {
  const causes: Partial<Record<string, string>> = {
    no_base_url: "it has no API base",
    no_enabled_endpoint: "no endpoint is enabled",
    no_ready_replica: "no backend replica is ready",
  };
  const cause = causes[e.cause ?? ""];
  const timeout = formatDuration(e.admissionTimeoutMs);
  return [
    `${e.pool} has nowhere to send a request${cause === undefined ? "" : `: ${cause}`}.`,
    e.queueWithoutServers
      ? `Requests wait for it and time out after ${timeout}.`
      : `New requests are refused at once; those waiting time out after ${timeout}.`,
  ];
}

/** The cap, and whether it is the only thing in the way. */
function tenantCap(e: Explanation): string[] {
  const { numbers: n } = e;
  const cap = n.cap ?? n.inUse;
  const first =
    n.inUse > cap
      ? `${e.tenantName} uses ${counted(n.inUse, "slot")}; its cap on ${e.pool} allows ${slots(cap)}.`
      : `${e.tenantName} uses the ${counted(cap, "slot")} its cap on ${e.pool} allows.`;
  const isCeilingFull = n.ceilingInUse >= n.ceiling;
  if (n.poolFree === 0 || isCeilingFull) return [first];
  return [
    first,
    `${counted(n.poolFree, "slot")} ${n.poolFree === 1 ? "is" : "are"} free, so only the cap is in the way.`,
  ];
}

/** Which key, and whether others of the tenant could go on. */
function keyCap(e: Explanation): string[] {
  const key = e.cappedKey;
  if (key === null) return [`The keys of ${e.tenantName} that wait on ${e.pool} are at their caps.`];
  const waiting = key.queued === 1 ? "its request waits" : `its ${count(key.queued)} requests wait`;
  return [
    `Key ${key.keyName} is at its cap of ${slots(key.cap)}, so ${waiting}.`,
    key.hasFreeSiblings ? `Other keys of ${e.tenantName} are not held back.` : "",
  ];
}

/** Why this gateway is on its own with its part. */
function sharingState(e: Explanation, options: WordOptions): string {
  if (e.mode === "split") return "Shared slots are off";
  if (e.modeSinceTsMs === null) return "Shared slots are unavailable";
  return `Shared slots are unavailable since ${formatTimeOfDay(e.modeSinceTsMs, options)}`;
}

/** Slots of a gateway that is silent, and when they come back; or claims that others won. */
function otherReplica(e: Explanation): string[] {
  if (e.silentReplica !== null) {
    const { slots: booked, instance, ageMs, leftMs } = e.silentReplica;
    return [
      `${counted(booked, "slot")} of ${e.pool} still ${booked === 1 ? "belongs" : "belong"} to gateway ${instance}, silent for ${formatDuration(ageMs)}.`,
      `${booked === 1 ? "It comes" : "They come"} back within ${formatDuration(leftMs)}.`,
    ];
  }
  return [
    `The gateways share ${e.pool}'s ${counted(e.numbers.poolSize, "slot")}; a freed one goes to whichever claims it first.`,
    `This gateway lost its last ${counted(e.lostClaims, "claim")}.`,
  ];
}

/** Who has its slots, at most two names, and how they come back: never as a promise of when. */
function belowShare(e: Explanation): string[] {
  const { numbers: n } = e;
  const first = `${e.tenantName} has ${slots(n.inUse)} of its ${counted(n.share, "slot")} on ${e.pool}.`;
  const [a, b] = e.holders;
  if (a === undefined) return [first];
  const second = b === undefined ? "" : `, ${b.tenantName} ${slots(b.slots)}`;
  const order =
    e.algorithm === "weighted"
      ? "as slots free, whoever was served least goes first"
      : "as those finish, tenants below their share go first";
  return [first, `${a.tenantName} has ${slots(a.slots)} above its share${second}; ${order}.`];
}

/** Either it has its share, or its place in line and the pace. */
function poolFull(e: Explanation): string[] {
  const { numbers: n } = e;
  if (e.cause === "at_share") {
    return [
      `${e.tenantName} has its share of ${e.pool}, ${slots(n.inUse)} of ${slots(n.share)}, and asks for ${count(n.queued)} more.`,
      "It gets extra slots only while others leave theirs unused.",
    ];
  }
  const first =
    e.cause === "within_share" ? `${e.pool} is full and nobody has more than its share.` : `${e.pool} is full.`;
  if (e.position === null) return [first];
  const pace = e.finishGapMs === null ? "" : `; a slot frees about every ${formatDuration(e.finishGapMs)}`;
  return [first, `${e.tenantName} is ${formatPlace(e.position)} in line${pace}.`];
}

/** One sentence for the most important thing that is true beside the reason. */
function noteWords(note: Note, e: Explanation, options: WordOptions): string {
  switch (note.note) {
    case "over_size":
      return `${e.pool} was cut to ${counted(note.size, "slot")} while ${slots(note.inUse)} were in use; nothing starts until ${slots(note.mustFinish)} have finished.`;
    case "more_takers":
      return `${counted(note.slots, "slot")} for ${count(note.groups)} active groups: each counts as having one, and they take turns.`;
    case "split_cap":
      return `Its cap of ${slots(note.cap)} is split over ${counted(note.replicas, "gateway")}: ${slots(note.here)} here.`;
    case "held_in_cap":
      return note.held === 1 ? "1 of these is a held slot." : `${slots(note.held)} of these are held slots.`;
    case "bypass_limit":
      return `Its oldest request has waited ${formatDuration(note.oldestWaitMs)}: nothing passes it any more, and ${e.pool} holds no slots until it has run.`;
    case "passed_by_warm":
      return `A request of ${note.keyName} was passed ${count(note.jumps)} of at most ${times(note.maxJumps)} by warm sessions; after that it goes first.`;
    case "boosted":
      return `${note.tenantName} is boosted x${note.factor} until ${formatTimeOfDay(note.expiresTsMs, options, "minute")}.`;
    case "partial_view":
      return "Seen from this gateway only; others may have slots that this page cannot count.";
  }
}

/** How a reason continues "3 of 8 wait". */
const WAITS_ON: Readonly<Record<WaitReason, string>> = {
  not_waiting: "on nothing",
  no_servers: "on servers",
  tenant_cap: "on the tenant's cap",
  key_cap: "on a key's cap",
  global_ceiling: "on the ceiling",
  fallback_split: "on this gateway's part",
  other_replica: "on another gateway",
  held_slots: "on held slots",
  below_share: "on slots above others' shares",
  next_in_line: "on the next free slot",
  pool_full: "on the pool",
};

/** How many wait for what, where requests of one tenant wait for different things; null otherwise. */
function breakdownWords(parts: readonly BreakdownPart[]): string | null {
  const [first, ...rest] = parts;
  if (first === undefined || rest.length === 0) return null;
  const total = parts.reduce((sum, part) => sum + part.requests, 0);
  const others = rest.map((part) => `${count(part.requests)} ${WAITS_ON[part.reason]}`).join(", ");
  const verb = first.requests === 1 ? "waits" : "wait";
  return `${count(first.requests)} of ${count(total)} ${verb} ${WAITS_ON[first.reason]}, ${others}.`;
}

/** Reasons as they stand in tables. */
const REASON_LABELS: Readonly<Record<WaitReason, string>> = {
  not_waiting: "Not waiting",
  no_servers: "No servers",
  tenant_cap: "At its cap",
  key_cap: "Key at its cap",
  global_ceiling: "Ceiling reached",
  fallback_split: "Split between gateways",
  other_replica: "Slot at another gateway",
  held_slots: "Slots held for sessions",
  below_share: "Below share",
  next_in_line: "Next in line",
  pool_full: "Pool full",
};

/** A reason in one to four words, for tables. A reason this version does not know reads "Waiting (code)". */
export function reasonLabel(reason: string): string {
  return Object.hasOwn(REASON_LABELS, reason) ? REASON_LABELS[reason as WaitReason] : `Waiting (${reason})`;
}

/** What a button for the action says. */
export function actionWords({ kind, target, value }: Action): string {
  const to = value === null ? "" : ` to ${slots(value)}`;
  const words: Readonly<Record<ActionKind, string>> = {
    open_budgets: `Open the budgets of ${target}`,
    open_usage: `Open the usage of ${target}`,
    open_endpoints: `Open the endpoints of ${target}`,
    scale_backend: `Scale the backend of ${target}`,
    change_model_cap: `Raise the cap of ${target} on this model${to}`,
    change_tenant_cap: `Raise the cap of ${target} on all models${to}`,
    raise_key_cap: `Raise the cap of key ${target}${to}`,
    raise_ceiling: `Raise the ceiling${to}`,
    open_cluster: "Open the cluster",
    see_traffic: "See how traffic is spread over the gateways",
    shorten_hold: `Shorten the hold time of ${target}`,
    lower_held_percent: `Lower the held percent of ${target}`,
    see_holders: "See who has slots above their share",
    boost_tenant: `Boost ${target}`,
    cap_holder: `Cap ${target} on this model at ${slots(value ?? 1)}`,
    raise_weight: `Raise the weight of ${target}`,
    grow_pool: `Grow the pool${to}`,
    add_servers: `Add servers to ${target}`,
  };
  return words[kind];
}

const WHOLE = new Intl.NumberFormat("en");
const COMPACT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const CARDINAL = new Intl.PluralRules("en");
const ORDINAL = new Intl.PluralRules("en", { type: "ordinal" });
/** From 10,000 on the last digits of a count that changes every second say nothing. */
const LARGEST_FULL_COUNT = 9_999;
/** Up to here seconds are easier to compare than minutes and seconds. */
const LONGEST_SECONDS = 90;

/** Slots and weights: always exact. */
export function formatExact(value: number): string {
  return WHOLE.format(value);
}

/** A count: in full up to 9,999, compact above. */
export function formatCount(value: number): string {
  return Math.abs(value) <= LARGEST_FULL_COUNT ? WHOLE.format(value) : COMPACT.format(value);
}

/** "1 slot", "2 slots"; exact. The plural is the noun with an s. */
export function counted(value: number, noun: string): string {
  return `${WHOLE.format(value)} ${noun}${CARDINAL.select(value) === "one" ? "" : "s"}`;
}

/** "340 ms", "4.2 s", "38 s" up to 90 s, then "2 min 10 s", "1 h 5 min". */
export function formatDuration(ms: number): string {
  if (ms < 999.5) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = ms / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1).replace(/\.0$/, "")} s`;
  const whole = Math.round(seconds);
  if (whole <= LONGEST_SECONDS) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min${whole % 60 === 0 ? "" : ` ${whole % 60} s`}`;
  return `${Math.floor(minutes / 60)} h${minutes % 60 === 0 ? "" : ` ${minutes % 60} min`}`;
}

/** How long somebody waits: like a duration, but "<1 s" below a second. */
export function formatWait(ms: number): string {
  return ms < 1000 ? "<1 s" : formatDuration(ms);
}

/** "1st", "2nd", "11th". */
export function formatPlace(place: number): string {
  const endings: Partial<Record<Intl.LDMLPluralRule, string>> = { one: "st", two: "nd", few: "rd" };
  return `${WHOLE.format(place)}${endings[ORDINAL.select(place)] ?? "th"}`;
}

/** "64 %"; "<1 %" for what is above zero and would round to it. */
export function formatPercent(fraction: number): string {
  const percent = Math.round(fraction * 100);
  return percent === 0 && fraction > 0 ? "<1 %" : `${percent} %`;
}

/** "03:12:07", or "03:12" to the minute; 24 hours. */
export function formatTimeOfDay(tsMs: number, options: WordOptions, to: "second" | "minute" = "second"): string {
  return new Intl.DateTimeFormat("en-GB", {
    hour: "2-digit",
    minute: "2-digit",
    ...(to === "second" ? { second: "2-digit" } : {}),
    hourCycle: "h23",
    timeZone: options.timeZone,
  }).format(tsMs);
}

/** Slots are always exact: one more or less is what the reader is looking for. */
function slots(value: number): string {
  return formatExact(value);
}

/** Requests, rounded when there are very many. */
function count(value: number): string {
  return formatCount(value);
}

/** How often something happened. */
function times(value: number): string {
  return value === 1 ? "1 time" : `${WHOLE.format(value)} times`;
}
