/**
 * Every registered model, in memory. A change notice makes it read all models again (there are few); readers see the
 * old list until the new one is whole. A read that a further change overtook is followed by another one.
 */
import type { ModelDirectory, ModelRecord, PolicySource } from "./records";

export interface ModelChange {
  readonly before: ModelRecord | null;
  readonly after: ModelRecord | null;
}

export interface ModelDirectoryOptions {
  readonly source: Pick<PolicySource, "loadModels">;
  /** Told of each model that appeared, changed or went, by canonical name, after the new list is in force. */
  readonly onChange?: (change: ModelChange) => void;
}

export class HeldModels implements ModelDirectory {
  readonly #options: ModelDirectoryOptions;
  #list: readonly ModelRecord[] = [];
  #byName = new Map<string, ModelRecord>();
  #isDirty = false;
  #reading: Promise<void> | undefined;

  constructor(options: ModelDirectoryOptions) {
    this.#options = options;
  }

  find(name: string): ModelRecord | undefined {
    return this.#byName.get(name);
  }

  list(): readonly ModelRecord[] {
    return this.#list;
  }

  /**
   * Resolves once a list read after this call is in force. Rejects, keeping the old list, when it cannot be read or when
   * `beforeUse` rejects, which runs between the two.
   */
  reload(beforeUse?: () => Promise<void>): Promise<void> {
    this.#isDirty = true;
    this.#reading ??= this.#readUntilClean(beforeUse).finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readUntilClean(beforeUse?: () => Promise<void>): Promise<void> {
    while (this.#isDirty) {
      this.#isDirty = false;
      const list = await this.#options.source.loadModels();
      await beforeUse?.();
      this.#replace(list);
    }
  }

  #replace(list: readonly ModelRecord[]): void {
    const before = new Map(this.#list.map((model) => [model.name, model]));
    this.#list = list;
    this.#byName = new Map(list.flatMap((model) => [model.name, ...model.aliases].map((name) => [name, model])));
    const { onChange } = this.#options;
    if (onChange === undefined) return;
    for (const after of list) {
      const old = before.get(after.name) ?? null;
      before.delete(after.name);
      if (JSON.stringify(old) !== JSON.stringify(after)) onChange({ before: old, after });
    }
    for (const gone of before.values()) onChange({ before: gone, after: null });
  }
}
