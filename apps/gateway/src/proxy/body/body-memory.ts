/**
 * Counts the bytes of request bodies that the process holds, from their first byte on the socket to the end of their
 * request, and says when there is no room for more. Without it the sum has no bound: each waiting request keeps its body.
 *
 * A tenant may hold as much as is left free (Choudhury and Hahne's dynamic threshold): alone half of the memory, one of two
 * busy ones a third. So there is always room for who holds little, whatever others send or leave half sent.
 */
import type { TenantId } from "@obleth/fairshare";

export class BodyMemory {
  #heldBytes = 0;
  /** Of tenants that hold any. */
  readonly #byTenant = new Map<TenantId, number>();

  constructor(private readonly limitBytes: number) {}

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** One request's part, nothing yet. */
  open(tenant: TenantId): BodyHold {
    return new BodyHold(this, tenant);
  }

  /** Whether the tenant may hold `bytes` more. */
  hasRoomFor(bytes: number, tenant: TenantId): boolean {
    const own = (this.#byTenant.get(tenant) ?? 0) + bytes;
    return own <= this.limitBytes - this.#heldBytes - bytes;
  }

  /** For `BodyHold` alone. */
  count(bytes: number, tenant: TenantId): void {
    this.#heldBytes += bytes;
    const own = (this.#byTenant.get(tenant) ?? 0) + bytes;
    if (own === 0) this.#byTenant.delete(tenant);
    else this.#byTenant.set(tenant, own);
  }
}

/** What one request holds. */
export class BodyHold {
  #bytes = 0;
  #isClosed = false;

  constructor(
    private readonly memory: BodyMemory,
    private readonly tenant: TenantId,
  ) {}

  /** Whether that many more would fit; changes nothing. */
  hasRoomFor(bytes: number): boolean {
    return this.memory.hasRoomFor(bytes, this.tenant);
  }

  /** Counts that many more. False, and nothing counted, when there is no room or the request has ended. */
  take(bytes: number): boolean {
    if (this.#isClosed || !this.hasRoomFor(bytes)) return false;
    this.#bytes += bytes;
    this.memory.count(bytes, this.tenant);
    return true;
  }

  /** That many of the taken ones are not held any more. */
  giveBack(bytes: number): void {
    if (this.#isClosed) return;
    this.#bytes -= bytes;
    this.memory.count(-bytes, this.tenant);
  }

  /** Nothing is held any more, nor will be. Harmless when repeated. */
  close(): void {
    this.giveBack(this.#bytes);
    this.#isClosed = true;
  }
}
