/**
 * Decides how limits hold on this replica and moves between the ways without losing or doubling a slot.
 *
 * Together: slots are claimed in the books, heartbeats re-assert what is held. Apart: the scheduler decides alone, under
 * the split when there are other replicas; heartbeats are the probes that lead back. Rules the rest relies on:
 *  - losing touch changes the mode first, then settles every open claim as `unavailable`, each exactly once;
 *  - each stretch together has its own epoch, so a call of an earlier one that runs late changes nothing that counts;
 *  - the way back: a heartbeat puts everything held on the books, the other replicas get a moment to do the same, and
 *    one more heartbeat goes ahead of the first claim;
 *  - a timeout is followed by a heartbeat at once, so that others do not claim what the split has just admitted here;
 *  - a heartbeat is sent only when no call is outstanding, because only then is it certain what is held.
 */
import type { Clock } from "@obleth/clock";
import type { ClaimOutcome, PoolId, TenantId } from "@obleth/fairshare";
import { Expiry } from "../membership/expiry";
import { Heart } from "../membership/heart";
import { leaveStore } from "../membership/leave";
import { Membership } from "../membership/membership";
import { type ModeState, modeState } from "../membership/mode";
import { lossReason, WAY_REASONS, WayBack } from "../membership/way-back";
import type { ClaimRequest, ClusterSlots, HoldRequest, SettleClaim, SlotsHost, SlotsListener } from "./cluster-slots";
import { OperationLine } from "./operation-line";
import { Retries } from "./retries";
import { Holdings } from "./slot-fields";
import { SlotReports } from "./slot-reports";
import type {
  ClaimOperation,
  HeartbeatAnswer,
  HoldOperation,
  Member,
  SlotAnnouncements,
  SlotAnswer,
  SlotOwner,
  SlotStore,
} from "./slot-store";

export interface SharedSlotsSettings {
  readonly sharedSlots: boolean;
  readonly replicaAware: boolean;
  readonly heartbeatMs: number;
  readonly ttlMs: number;
  /** Longest wait for an answer of the store, ms. */
  readonly responseTimeoutMs: number;
}

export interface SharedSlotsOptions {
  readonly store: SlotStore;
  readonly clock: Clock;
  readonly rng: () => number;
  readonly instance: string;
  readonly settings: SharedSlotsSettings;
  /** Runs later in the same turn of the event loop, after what has come in is read. */
  readonly defer: (run: () => void) => void;
  readonly listener?: SlotsListener;
  /** The store has been silent: a new connection may get through where the old one does not. */
  readonly reconnect?: () => void;
}

/** Pause between two probes while the store is silent, ms. */
const PROBE_MS = 1000;
/** Pause between two looks at whether the other replicas are back, ms. */
const PEER_LOOK_MS = 200;
/** Least pause between two heartbeats when replicas come and go, ms. */
const BEAT_GAP_MS = 100;

export class SharedSlots implements ClusterSlots, SlotAnnouncements {
  readonly #options: SharedSlotsOptions;
  readonly #membership: Membership;
  readonly #wayBack: WayBack;
  readonly #line: OperationLine;
  readonly #retries: Retries;
  readonly #heart: Heart;
  #host: SlotsHost | undefined;
  #state: ModeState = { mode: "local", replicas: 1, divisor: 1 };
  #isTogether = false;
  #epoch = 0;
  /** What this replica holds on the books, as far as answers say; only meaningful while together. */
  #holdings = new Holdings();
  #totalSlots = 0;
  /** The heartbeat under way is the one that goes ahead of the first claim. */
  #isJoining = false;
  /** A heartbeat that goes ahead of everything else after this replica's time was over is under way. */
  #isRenewing = false;
  readonly #expiry: Expiry;
  readonly #reports: SlotReports;
  #failedProbes = 0;
  #whenDecided: (() => void) | undefined;

  constructor(options: SharedSlotsOptions) {
    this.#options = options;
    const { store, clock, instance, settings, defer, rng } = options;
    this.#reports = new SlotReports(clock, options.listener);
    this.#expiry = new Expiry(clock);
    this.#membership = new Membership(instance, settings.ttlMs);
    this.#wayBack = new WayBack({ ...settings, membership: this.#membership });
    const withdraw = (pool: PoolId | null) => this.#line.push({ kind: "withdraw", pool }, () => undefined);
    this.#retries = new Retries({ clock, rng, retry: (pool) => this.#host?.retry(pool), withdraw });
    this.#line = new OperationLine({
      store,
      clock,
      instance,
      timeoutMs: settings.responseTimeoutMs,
      defer,
      isVoid: () => this.#expiry.isOver,
      onAnswer: ({ nowMs, lostHolds }) => {
        this.#membership.heard(nowMs);
        this.#reports.lostHolds(lostHolds);
      },
      onFailure: (reason, error) => {
        if (reason === "unregistered" && this.#expiry.isOver) this.#renew();
        else this.#loseTouch(reason, error);
      },
    });
    this.#line.abandon();
    this.#heart = new Heart({
      store,
      clock,
      timeoutMs: settings.responseTimeoutMs,
      defer,
      onDue: () => this.#beat(),
      onAnswer: (answer, latencyMs) => {
        this.#reports.call("heartbeat", "done", clock.monotonicMs() - latencyMs);
        this.#beatAnswered(answer, latencyMs);
      },
      onFailure: (reason, error, latencyMs) => {
        this.#reports.call("heartbeat", reason, clock.monotonicMs() - latencyMs);
        this.#beatFailed(reason, error);
      },
    });
  }

  get state(): ModeState {
    return this.#state;
  }

  /** Living replicas as last known; empty before the first heartbeat was answered. */
  get members(): readonly Member[] {
    return this.#membership.members;
  }

  /** The store's clock at its last answer, ms; 0 before the first. */
  get storeTimeMs(): number {
    return this.#membership.lastAnswerAtMs;
  }

  /** False while the store does not answer in time. */
  get isReachable(): boolean {
    return this.#reports.isReachable;
  }

  /** Slots in use over all replicas at the last heartbeat. */
  get totalSlots(): number {
    return this.#totalSlots;
  }

  get stalls(): number {
    return this.#expiry.stalls;
  }

  lostClaims(pool: PoolId, tenantId: TenantId): number {
    return this.#retries.lostInRow(pool, tenantId);
  }

  /**
   * Sends the first heartbeat. `whenDecided` runs once it is known how limits hold: alone, together with the others,
   * or without a store that answers. Requests must not be admitted before.
   */
  start(host: SlotsHost, whenDecided: () => void): void {
    this.#host = host;
    this.#whenDecided = whenDecided;
    this.#beat();
  }

  claim(request: ClaimRequest, settle: SettleClaim): void {
    if (!this.#isTogether) {
      this.#options.defer(() => settle("unavailable", null));
      return;
    }
    const sentAtMs = this.#options.clock.monotonicMs();
    const operation: ClaimOperation = { ...request, kind: "claim" };
    this.#retries.sent(request.pool);
    this.#line.push(operation, (answer) => {
      const outcome = this.#claimed(operation, answer);
      if (answer !== "failed") this.#reports.call("claim", outcome, sentAtMs);
      settle(outcome, answer !== "failed" && answer.kind === "claim" ? answer.sinceLastFinishMs : null);
    });
  }

  release(slot: SlotOwner): void {
    if (!this.#isTogether) return;
    const owner = ownerOf(slot);
    const sentAtMs = this.#options.clock.monotonicMs();
    this.#line.push({ ...owner, kind: "release" }, (answer) => {
      const isIn = answer !== "failed" && answer.kind === "release";
      if (isIn) this.#holdings.add(owner, -1);
      this.#reports.call("release", isIn ? answer.answer : "unanswered", sentAtMs);
    });
  }

  hold(request: HoldRequest): void {
    if (!this.#isTogether) return;
    const operation: HoldOperation = { ...request, kind: "hold" };
    const sentAtMs = this.#options.clock.monotonicMs();
    this.#line.push(operation, (answer) => {
      const isIn = answer !== "failed" && answer.kind === "hold";
      if (isIn) this.#holdings.add(operation, -1);
      this.#reports.call("hold", isIn ? answer.answer : "unanswered", sentAtMs);
      if (isIn && answer.answer === "held") this.#options.listener?.onHolds?.(operation.pool, "held", 1);
    });
  }

  dropHolds(pool: PoolId): void {
    if (this.#isTogether) this.#line.push({ kind: "drop-holds", pool }, () => undefined);
  }

  /** A freed slot was announced, or the subscription was renewed and announcements may have been missed (null). */
  onReleased(pool: PoolId | null): void {
    if (this.#isTogether) this.#retries.announced(pool);
  }

  /** Another replica came or went: a heartbeat tells who lives. */
  onMembership(): void {
    // Before the start there is nobody to tell of a mode; a heartbeat would join without the host's knowing.
    if (this.#host === undefined) return;
    // A replica that looks for the others sends heartbeats anyway; answering theirs would be a conversation without end.
    if (!this.#wayBack.isWaiting) this.#heart.beatSoon(BEAT_GAP_MS);
  }

  /** Gives everything back and leaves. `done` runs when the store has answered or has had its time. */
  leave(done: () => void): void {
    this.#heart.stop();
    this.#retries.clear();
    if (this.#isTogether) this.#setState(false, "shutting down");
    this.#line.abandon();
    const sentAtMs = this.#options.clock.monotonicMs();
    leaveStore({ ...this.#options, timeoutMs: this.#options.settings.responseTimeoutMs }, (result) => {
      this.#reports.call("leave", result, sentAtMs);
      done();
    });
  }

  #claimed(request: ClaimRequest, answer: SlotAnswer | "failed"): ClaimOutcome {
    if (answer === "failed" || answer.kind !== "claim") return this.#retries.unanswered(request.pool);
    const outcome = this.#retries.answered(request, answer);
    if (outcome === "granted" || outcome === "redeemed") this.#holdings.add(request, 1);
    return outcome;
  }

  #beat(): void {
    if (this.#isTogether && this.#expiry.isOver) this.#renew();
    else if (this.#isTogether) this.#line.stop(() => this.#reassert());
    else this.#sendBeat(this.#host?.holdings() ?? new Holdings(), ++this.#epoch);
  }

  /** Says again what is held: what really runs, when nothing is on its way in between, else what the answers add up to. */
  #reassert(): void {
    if (this.#line.isEmpty && this.#host !== undefined) this.#holdings = this.#host.holdings();
    this.#sendBeat(this.#holdings);
  }

  #sendBeat(holdings: Holdings, epoch = this.#epoch): void {
    const { instance, settings } = this.#options;
    const asksOthers = !this.#isTogether && this.#wayBack.isWaiting;
    this.#heart.send({ instance, ttlMs: settings.ttlMs, epoch, holdings: new Map(holdings.counts), asksOthers });
  }

  #beatAnswered(answer: HeartbeatAnswer, latencyMs: number): void {
    const { settings } = this.#options;
    this.#failedProbes = 0;
    this.#totalSlots = answer.totalSlots;
    this.#expiry.renewed(latencyMs, settings.ttlMs);
    this.#reports.reachable(true, "answered");
    this.#reports.found(answer, this.#isTogether && !this.#isJoining);
    this.#isJoining = false;
    if (!this.#isTogether) {
      this.#membership.update(answer);
      this.#tryToJoin(latencyMs);
      return;
    }
    const isRenewed = this.#isRenewing;
    this.#isRenewing = false;
    const hasOnlyExpired = (isRenewed || this.#expiry.isOver) && this.#membership.isAllIn(answer);
    if (!answer.wasRegistered && !hasOnlyExpired) {
      this.#loseTouch("unregistered", undefined);
      return;
    }
    if (this.#expiry.isOver) {
      this.#renew();
      return;
    }
    this.#membership.update(answer);
    if (this.#membership.liveCount > 1) {
      if (this.#membership.liveCount !== this.#state.replicas) this.#setState(true, "replica count changed");
      this.#line.resume(this.#epoch);
    } else {
      this.#setState(false, "alone");
      this.#line.abandon();
      this.#host?.retry(null);
    }
    this.#heart.beatIn(settings.heartbeatMs);
    if (isRenewed) this.#host?.retry(null);
    this.#decided();
  }

  /**
   * This process stood still past its expiry, and the others have taken its slots back: what it was granted before means
   * nothing any more. Nothing is claimed or started until a heartbeat has put what really runs on the books again.
   */
  #renew(): void {
    this.#retries.clear();
    this.#line.abandon();
    this.#epoch++;
    this.#isJoining = true;
    this.#isRenewing = true;
    this.#holdings = this.#host?.holdings() ?? new Holdings();
    this.#sendBeat(this.#holdings);
  }

  /** The store answers and this replica is registered: is it time to count slots together? */
  #tryToJoin(latencyMs: number): void {
    const { clock, settings } = this.#options;
    const way = this.#wayBack.answered(clock.monotonicMs(), latencyMs);
    if (way === "open" && settings.sharedSlots && this.#membership.liveCount > 1) {
      this.#join();
      return;
    }
    this.#setState(false, WAY_REASONS[way]);
    if (way === "peers-missing") {
      this.#heart.beatIn(PEER_LOOK_MS);
      return;
    }
    this.#heart.beatIn(way === "open" ? settings.heartbeatMs : PROBE_MS);
    this.#decided();
  }

  #join(): void {
    this.#epoch++;
    this.#isJoining = true;
    this.#setState(true, "reconciled");
    // After the host has changed over: holds that were its own end there. Claims that the new mode causes gather behind
    // this heartbeat, which may have more on it than the last one.
    this.#holdings = this.#host?.holdings() ?? new Holdings();
    this.#sendBeat(this.#holdings);
  }

  #beatFailed(reason: "timeout" | "error", error: unknown): void {
    this.#failedProbes++;
    if (this.#isTogether) {
      this.#loseTouch(reason, error);
      return;
    }
    if (this.#wayBack.isWaiting) this.#membership.lostTouch();
    this.#wayBack.lost(reason, this.#options.clock.monotonicMs());
    this.#reports.reachable(false, lossReason(reason, error));
    if (reason === "timeout" || this.#failedProbes % 3 === 0) this.#options.reconnect?.();
    this.#heart.beatIn(PROBE_MS);
    this.#decided();
  }

  #loseTouch(reason: "timeout" | "error" | "unregistered", error: unknown): void {
    if (!this.#isTogether) return;
    this.#heart.drop();
    this.#isRenewing = false;
    this.#isJoining = false;
    this.#wayBack.lost(reason, this.#options.clock.monotonicMs());
    this.#membership.lostTouch();
    this.#retries.clear();
    if (reason !== "unregistered") this.#reports.reachable(false, lossReason(reason, error));
    this.#setState(false, lossReason(reason, error));
    this.#line.abandon();
    this.#host?.retry(null);
    this.#decided();
    if (reason === "timeout") this.#beat();
    else this.#heart.beatIn(reason === "unregistered" ? BEAT_GAP_MS : PROBE_MS);
  }

  #setState(isTogether: boolean, reason: string): void {
    const { sharedSlots, replicaAware } = this.#options.settings;
    this.#isTogether = isTogether;
    const replicas = this.#membership.liveCount;
    const next = modeState({ sharedSlots, replicaAware, replicas, isReconciled: isTogether });
    const { mode, divisor } = this.#state;
    const isSame = next.mode === mode && next.divisor === divisor && next.replicas === this.#state.replicas;
    if (isSame) return;
    this.#state = next;
    this.#host?.onMode(next);
    this.#options.listener?.onModeChange?.(next, reason);
  }

  #decided(): void {
    const whenDecided = this.#whenDecided;
    this.#whenDecided = undefined;
    whenDecided?.();
  }
}

/** A copy: the scheduler reuses its records after the call. */
function ownerOf({ pool, tenantId, keyId }: SlotOwner): SlotOwner {
  return { pool, tenantId, keyId };
}
