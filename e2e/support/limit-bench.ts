/** What the judge knows at one moment: who runs, who shares, and what is on the books at the least. */
import { type Outage, type Trial, type Verdict, wayMs } from "./limit-trial";

interface Change {
  readonly atMs: number;
  readonly marker: string;
  /** Null: a request ends. */
  readonly mode: string | null;
}

/** An outage, and how many ran on each gateway when Redis went. */
interface Outing {
  readonly outage: Outage;
  readonly peaks: Map<string, number>;
  /** All that could have run then, and the others' parts. */
  atMost: number;
}

/** One gateway. */
class Seat {
  running = 0;
  mode = "shared";
  /** Modes of the last while, the present one left out, each with the moment it ended. */
  past: { readonly mode: string; readonly untilMs: number }[] = [];
  /** Since when it has not shared, or had not when it last came back. */
  leftMs = Number.NEGATIVE_INFINITY;
  joinedMs = Number.NEGATIVE_INFINITY;
  /** Fewest that ran here since it left. */
  fewest = 0;

  constructor(private readonly wayMs: number) {}

  change(mode: string, atMs: number): void {
    if (mode === this.mode) return;
    this.past = [
      ...this.past.filter(({ untilMs }) => untilMs >= atMs - this.wayMs),
      { mode: this.mode, untilMs: atMs },
    ];
    if (this.mode === "shared") {
      this.leftMs = atMs;
      this.fewest = this.running;
    }
    if (mode === "shared") this.joinedMs = atMs;
    this.mode = mode;
  }

  end(): void {
    this.running--;
    this.fewest = Math.min(this.fewest, this.running);
  }

  /** Under which modes a request may have been granted that arrives at this moment. */
  modesAt(atMs: number): string[] {
    const past = this.past.filter(({ untilMs }) => untilMs >= atMs - this.wayMs).map(({ mode }) => mode);
    return [this.mode, ...past];
  }

  hasSharedForLongAt(atMs: number): boolean {
    return this.mode === "shared" && this.joinedMs <= atMs - this.wayMs;
  }
}

export class Bench {
  readonly #trial: Trial;
  readonly #wayMs: number;
  readonly #seats = new Map<string, Seat>();
  readonly #changes: Change[];
  readonly #ends: { readonly atMs: number; readonly marker: string }[] = [];
  readonly #outages: Outing[];
  readonly #faults: string[] = [];
  #highest = 0;
  #highestShared = 0;
  #highestMixed = 0;
  #highestApart = 0;
  #nowMs = 0;

  constructor(trial: Trial) {
    this.#trial = trial;
    this.#wayMs = wayMs(trial);
    this.#changes = [...trial.gateways]
      .flatMap(([marker, changes]) => changes.map(({ atMs, mode }) => ({ atMs, marker, mode })))
      .sort((a, b) => a.atMs - b.atMs);
    for (const [marker, [first]] of trial.gateways) this.#seat(marker).mode = first?.mode ?? "local";
    this.#outages = (trial.outages ?? []).map((outage) => ({ outage, peaks: new Map(), atMost: 0 }));
  }

  get verdict(): Verdict {
    return {
      highest: this.#highest,
      highestShared: this.#highestShared,
      highestMixed: this.#highestMixed,
      highestApart: this.#highestApart,
      faults: this.#faults,
    };
  }

  /** Time goes on to this moment: requests end, modes change; who goes at the same moment goes first. */
  at(nowMs: number): void {
    const due = this.#ends.filter(({ atMs }) => atMs <= nowMs);
    for (const end of due) this.#ends.splice(this.#ends.indexOf(end), 1);
    const happened: Change[] = due.map(({ atMs, marker }) => ({ atMs, marker, mode: null }));
    while ((this.#changes[0]?.atMs ?? Number.POSITIVE_INFINITY) <= nowMs) happened.push(...this.#changes.splice(0, 1));
    happened.sort((a, b) => a.atMs - b.atMs || Number(a.mode !== null) - Number(b.mode !== null));
    for (const { atMs, marker, mode } of happened) {
      this.#notePeaks(atMs);
      if (mode === null) this.#seat(marker).end();
      else this.#seat(marker).change(mode, atMs);
    }
    this.#nowMs = nowMs;
    this.#notePeaks(nowMs);
  }

  /** A request of this gateway reaches the backend now, and is there until then. */
  start(marker: string, untilMs: number): void {
    const seat = this.#seat(marker);
    seat.running++;
    this.#notePeaks(this.#nowMs);
    if (untilMs !== Number.POSITIVE_INFINITY) this.#ends.push({ atMs: untilMs, marker });
    this.#measure(seat);
    const complaints = seat.modesAt(this.#nowMs).map((mode) => this.#complaint(seat, marker, mode));
    if (complaints[0] !== undefined && complaints.every((one) => one !== null))
      this.#faults.push(String(complaints[0]));
    this.#checkOutages();
  }

  /** What is wrong with a start on this gateway in this mode; null for nothing. */
  #complaint(seat: Seat, marker: string, mode: string): string | null {
    const { slots, part } = this.#trial;
    const when = at(this.#nowMs);
    if (mode === "shared") {
      const booked = [...this.#seats].map(([name, other]) => this.#leastBooked(name, other, other === seat));
      const sum = booked.reduce((a, b) => a + b, 0);
      return sum <= slots ? null : `${sum} of ${slots} at ${when} although ${marker} shared`;
    }
    const most = mode === "local" ? slots : part;
    return seat.running <= most
      ? null
      : `${marker} started its number ${seat.running} of ${most} at ${when} on its own`;
  }

  /** What this gateway certainly had on the books when a request was granted that arrives now. */
  #leastBooked(marker: string, seat: Seat, isStarter: boolean): number {
    if (isStarter) return seat.running;
    if (this.#mayHaveBeenExpired(marker)) return 0;
    if (seat.hasSharedForLongAt(this.#nowMs)) return seat.running;
    return this.#nowMs - seat.leftMs <= this.#keptMs ? seat.fewest : 0;
  }

  /** How long the slots of a gateway that went silent are kept at the least. */
  get #keptMs(): number {
    const { ttlMs, heartbeatMs } = this.#trial;
    return ttlMs - heartbeatMs - this.#wayMs;
  }

  #mayHaveBeenExpired(marker: string): boolean {
    return (this.#trial.stalls ?? []).some(
      (stall) =>
        stall.marker === marker &&
        this.#nowMs >= stall.fromMs + this.#keptMs &&
        this.#nowMs <= stall.toMs + this.#wayMs &&
        stall.toMs - stall.fromMs >= this.#keptMs,
    );
  }

  #measure(seat: Seat): void {
    const seats = [...this.#seats.values()].filter((one) => one.running > 0 || one.mode !== "local");
    const sharing = seats.filter(({ mode }) => mode === "shared").length;
    const total = this.#total;
    this.#highest = Math.max(this.#highest, total);
    if (seats.every((one) => one.hasSharedForLongAt(this.#nowMs)))
      this.#highestShared = Math.max(this.#highestShared, total);
    else if (sharing > 0 && sharing < seats.length) this.#highestMixed = Math.max(this.#highestMixed, total);
    if (!seat.modesAt(this.#nowMs).includes("shared")) this.#highestApart = Math.max(this.#highestApart, seat.running);
  }

  #notePeaks(atMs: number): void {
    for (const outing of this.#outages) {
      const { outage, peaks } = outing;
      const isFirst = peaks.size === 0;
      if (atMs < outage.fromMs || (!isFirst && atMs > outage.fromMs + this.#wayMs)) continue;
      if (isFirst) outing.atMost = this.#mostAfterSharing;
      for (const [marker, { running }] of this.#seats) peaks.set(marker, Math.max(peaks.get(marker) ?? 0, running));
    }
  }

  /** Where all shared, at worst one gateway had every slot and the others begin their parts. */
  get #mostAfterSharing(): number {
    const { slots, part, gateways } = this.#trial;
    const isShared = [...this.#seats.values()].every(({ mode }) => mode === "shared");
    return isShared ? slots + (gateways.size - 1) * part : Number.POSITIVE_INFINITY;
  }

  #checkOutages(): void {
    for (const { outage, peaks, atMost } of this.#outages) {
      if (this.#nowMs <= outage.fromMs + this.#wayMs || this.#nowMs >= outage.toMs) continue;
      const parts = [...this.#seats.keys()].map((name) => Math.max(this.#trial.part, peaks.get(name) ?? 0));
      const most = Math.min(
        atMost,
        parts.reduce((a, b) => a + b, 0),
      );
      if (this.#total > most) {
        this.#faults.push(`${this.#total} at ${at(this.#nowMs)} without Redis, where ${most} were allowed`);
      }
    }
  }

  get #total(): number {
    return [...this.#seats.values()].reduce((sum, { running }) => sum + running, 0);
  }

  #seat(marker: string): Seat {
    const found = this.#seats.get(marker);
    if (found !== undefined) return found;
    const made = new Seat(this.#wayMs);
    this.#seats.set(marker, made);
    return made;
  }
}

function at(ms: number): string {
  return new Date(ms).toISOString().slice(11, 23);
}
