/** The keys of one tenant by id. Most tenants have one, which costs no map. */
import type { KeyId } from "./ids";
import type { Key } from "./state";

export class KeyTable {
  #only: Key | undefined;
  #many: Map<KeyId, Key> | undefined;

  get(id: KeyId): Key | undefined {
    if (this.#many !== undefined) return this.#many.get(id);
    return this.#only !== undefined && this.#only.id === id ? this.#only : undefined;
  }

  /** Adds a key whose id is not in the table. */
  add(key: Key): void {
    if (this.#many !== undefined) {
      this.#many.set(key.id, key);
    } else if (this.#only === undefined) {
      this.#only = key;
    } else {
      this.#many = new Map([
        [this.#only.id, this.#only],
        [key.id, key],
      ]);
      this.#only = undefined;
    }
  }

  delete(id: KeyId): void {
    this.#many?.delete(id);
    if (this.#only?.id === id) this.#only = undefined;
  }

  /** Every key, in no useful order. */
  values(): Iterable<Key> {
    if (this.#many !== undefined) return this.#many.values();
    return this.#only === undefined ? [] : [this.#only];
  }
}
