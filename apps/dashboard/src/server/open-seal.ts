/** Reading what a cookie carries. Whoever sends one can write anything into it. */
import { unsealData } from "iron-session";

interface SealOptions {
  readonly secret: string;
  readonly ttlSecs: number;
}

/** What was sealed with the secret; nothing for any other text, and for a seal that is too old. */
export async function openSeal<Data extends object>(sealed: string, options: SealOptions): Promise<Partial<Data>> {
  try {
    return await unsealData<Partial<Data>>(sealed, { password: options.secret, ttl: options.ttlSecs });
  } catch {
    return {};
  }
}
