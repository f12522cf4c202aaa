/** The least that stands between the engine and its callers: numbers, callbacks, effects. What a gateway adds on top. */
import type { EngineConfig, KeyPolicy, TenantPolicy } from "../src/index";
import { createEngine, type PoolId, poolId, step, waiterId } from "../src/index";

export const POOL: PoolId = poolId("pool");

export class Driver {
  readonly state;
  #latestId = 0;

  constructor(config: Partial<EngineConfig>, slots: number) {
    this.state = createEngine(config);
    this.resize(slots);
  }

  resize(size: number): void {
    this.#send({
      kind: "pool_changed",
      pool: POOL,
      size,
      admissionWeight: 100,
      affinity: null,
      routed: true,
      hasServers: true,
      queueWithoutServers: false,
    });
  }

  /** `start` is called with the request's number once it has a slot. Returns the number. */
  admit(tenant: TenantPolicy, key: KeyPolicy, start: (id: number) => void): number {
    this.#latestId += 1;
    const id = this.#latestId;
    this.#send({
      kind: "arrive",
      waiterId: waiterId(id),
      pool: POOL,
      tenant,
      key,
      costTokens: 100,
      session: null,
      timeoutMs: null,
      tag: start,
    });
    return id;
  }

  release(id: number): void {
    this.#send({ kind: "finish", waiterId: waiterId(id), actualTokens: null });
  }

  cancel(id: number): void {
    this.#send({ kind: "cancel", waiterId: waiterId(id) });
  }

  #send(event: Parameters<typeof step>[1]): void {
    for (const effect of step(this.state, event, 0)) {
      if (effect.kind === "grant" && typeof effect.tag === "function") effect.tag(effect.waiterId);
    }
  }
}
