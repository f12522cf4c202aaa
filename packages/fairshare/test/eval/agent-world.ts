/**
 * Agents and one-shots before one pool on virtual time: the product's own engine decides who starts, the simulated
 * backend's prefix cache and speeds decide how long a call takes. A step's follower is sent a think time after its answer.
 */
import { BLOCK_TOKENS, BlockCache } from "../../../../apps/sim-backend/src/block-cache";
import { firstTokenMs, tokenMs } from "../../../../apps/sim-backend/src/service-time";
import { createEngine, decisionsSince, step } from "../../src/engine";
import type { AffinitySettings, EngineEvent } from "../../src/events";
import { poolId, sessionId, waiterId } from "../../src/ids";
import type { EngineState } from "../../src/state";
import { sample } from "../../src/take-snapshot";
import { Agenda } from "../sim/agenda";
import { plainKey, plainTenant, sizeOf } from "../sim/open-loop";
import type { Rng } from "../sim/rng";
import type { Call } from "./agent-trace";

const POOL = "agents";
/** More blocks than any prompt has; keeps the numbers of two prompts' blocks apart. */
const MAX_BLOCKS = 1_000_000;

/** A model server's speed and memory. */
export interface Server {
  readonly slots: number;
  readonly cacheTokens: number;
  readonly prefillTokensPerSec: number;
  readonly decodeTokensPerSec: number;
}

export interface Favour {
  readonly affinity: AffinitySettings;
  readonly warmMs: number;
  readonly maxJumps: number;
}

/** What a session or a lone request belongs to. */
export interface Sender {
  readonly tenant: string;
  readonly key: string;
}

export interface AgentSession extends Sender {
  readonly startMs: number;
  readonly steps: readonly Call[];
}

export interface OneShot extends Sender, Call {
  readonly atMs: number;
}

export interface AgentWorld {
  readonly server: Server;
  /** Null: affinity off. */
  readonly favour: Favour | null;
  readonly sessions: readonly AgentSession[];
  readonly shots: readonly OneShot[];
  readonly thinkMs: (rng: Rng) => number;
  /** Nothing new is sent from here on; what was sent is played to its end. */
  readonly untilMs?: number;
  /** Starts with another session's steps when one is through. */
  readonly nextSession?: () => readonly Call[];
}

/** What became of one request. */
export interface Played extends Sender, Call {
  readonly id: number;
  readonly atMs: number;
  /** Place in its session; null for a request that stands alone. */
  readonly step: number | null;
  startMs: number;
  endMs: number;
  cachedTokens: number;
  /** Times a later request of its key started while it waited. */
  passes: number;
}

export interface AgentRun {
  readonly played: readonly Played[];
  /** By kind of decision: `held`, `redeemed`, `hold_expired`, `hold_released`, `warm`, `bypassed`. */
  readonly events: ReadonlyMap<string, number>;
  readonly mostHeld: number;
  /** Slot-milliseconds that stood empty for sessions. */
  readonly heldMs: number;
}

export function playAgents(world: AgentWorld, rng: Rng): AgentRun {
  return new Player(world, rng).run();
}

class Player {
  readonly #world: AgentWorld;
  readonly #rng: Rng;
  readonly #state: EngineState;
  readonly #agenda = new Agenda<() => void>();
  readonly #cache = new BlockCache<number>();
  readonly #played: Played[] = [];
  readonly #waiting = new Map<string, Set<Played>>();
  readonly #promptOf = new Map<number, number>();
  readonly #afterwards = new Map<number, () => void>();
  readonly #events = new Map<string, number>();
  #nowMs = 0;
  #prompts = 0;
  #latestDecision = 0;
  #held = 0;
  #mostHeld = 0;
  #heldMs = 0;

  constructor(world: AgentWorld, rng: Rng) {
    const { favour } = world;
    this.#world = world;
    this.#rng = rng;
    const limits = favour === null ? {} : { warmMs: favour.warmMs, maxJumps: favour.maxJumps };
    this.#state = createEngine({ algorithm: "weighted", decisionLimit: 256, ...limits });
  }

  run(): AgentRun {
    const { server, favour, sessions, shots } = this.#world;
    this.#send(sizeOf(POOL, server.slots, favour?.affinity ?? null));
    for (const session of sessions) this.#at(session.startMs, () => this.#begin(session, session.steps));
    for (const shot of shots) this.#at(shot.atMs, () => this.#ask(shot, { prompt: this.#newPrompt(), step: null }));
    for (let next = this.#agenda.take(); next !== undefined; next = this.#agenda.take()) {
      this.#heldMs += this.#held * (next.atMs - this.#nowMs);
      this.#nowMs = next.atMs;
      next.item();
    }
    return { played: this.#played, events: this.#events, mostHeld: this.#mostHeld, heldMs: this.#heldMs };
  }

  #begin(session: AgentSession, steps: readonly Call[]): void {
    const prompt = this.#newPrompt();
    const send = (index: number) => {
      const call = steps[index];
      const { nextSession } = this.#world;
      if (call === undefined) {
        if (nextSession !== undefined) this.#begin(session, nextSession());
        return;
      }
      const id = this.#ask({ ...session, ...call }, { prompt, step: index });
      if (id !== null)
        this.#afterwards.set(id, () => this.#after(this.#world.thinkMs(this.#rng), () => send(index + 1)));
    };
    send(0);
  }

  /** Sends one request; its number, or null when the time of sending is over. */
  #ask(call: Sender & Call, of: { prompt: number; step: number | null }): number | null {
    if (this.#nowMs >= (this.#world.untilMs ?? Number.POSITIVE_INFINITY)) return null;
    const { tenant, key, inputTokens, outputTokens } = call;
    const id = this.#played.length + 1;
    const made = { id, tenant, key, inputTokens, outputTokens, atMs: this.#nowMs, step: of.step };
    this.#played.push({ ...made, startMs: Number.NaN, endMs: Number.NaN, cachedTokens: 0, passes: 0 });
    const waiting = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, waiting.add(this.#requestOf(id)));
    this.#prompts = Math.max(this.#prompts, of.prompt);
    this.#promptOf.set(id, of.prompt);
    this.#send({
      kind: "arrive",
      waiterId: waiterId(id),
      pool: poolId(POOL),
      tenant: plainTenant(tenant, { group: "all" }),
      key: plainKey(key),
      costTokens: inputTokens + 2 * outputTokens,
      session: of.step === null ? null : sessionId(`s${of.prompt}`),
      timeoutMs: null,
    });
    return id;
  }

  #send(event: EngineEvent): void {
    for (const effect of step(this.#state, event, this.#nowMs)) {
      if (effect.kind === "grant") this.#start(this.#requestOf(effect.waiterId));
      if (effect.kind === "wake_at") this.#at(effect.atMs, () => this.#send({ kind: "wake" }));
    }
    for (const { kind, sequence } of decisionsSince(this.#state, this.#latestDecision)) {
      this.#latestDecision = sequence;
      this.#events.set(kind, (this.#events.get(kind) ?? 0) + 1);
    }
    this.#held = sample(this.#state)[0]?.held ?? 0;
    this.#mostHeld = Math.max(this.#mostHeld, this.#held);
  }

  #start(request: Played): void {
    const waiting = this.#waiting.get(request.key);
    waiting?.delete(request);
    for (const older of waiting ?? []) if (older.id < request.id) older.passes += 1;
    const { server } = this.#world;
    const prompt = blocksOf(this.#promptOf.get(request.id) ?? 0, request.inputTokens);
    request.startMs = this.#nowMs;
    request.cachedTokens = this.#cache.lookUp(prompt);
    const { inputTokens: promptTokens, cachedTokens } = request;
    const readMs = firstTokenMs({ overheadMs: 0, ...server }, { promptTokens, cachedTokens });
    const writeMs = request.outputTokens * tokenMs({ knee: server.slots, ...server }, 1);
    request.endMs = this.#nowMs + readMs + writeMs;
    this.#after(readMs, () => this.#cache.store(prompt, server.cacheTokens));
    this.#after(readMs + writeMs, () => {
      this.#send({ kind: "finish", waiterId: waiterId(request.id), actualTokens: null });
      this.#afterwards.get(request.id)?.();
    });
  }

  #requestOf(id: number): Played {
    const request = this.#played[id - 1];
    if (request === undefined) throw new Error(`unknown request ${id}`);
    return request;
  }

  #newPrompt(): number {
    this.#prompts += 1;
    return this.#prompts;
  }

  #at(atMs: number, run: () => void): void {
    this.#agenda.add(atMs, run);
  }

  #after(delayMs: number, run: () => void): void {
    this.#at(this.#nowMs + delayMs, run);
  }
}

/** Every prompt has text of its own; a longer one of the same prompt begins with the shorter. */
function blocksOf(prompt: number, tokens: number): number[] {
  return Array.from({ length: Math.floor(tokens / BLOCK_TOKENS) }, (_, block) => prompt * MAX_BLOCKS + block);
}
