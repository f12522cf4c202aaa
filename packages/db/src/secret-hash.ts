/** Client secrets: how they are made, recognised and stored. Only hashes reach the database. */
import { createHash, createHmac, randomBytes } from "node:crypto";

const PREFIX = "sk_";
/** 24 random bytes, far beyond guessing, so a plain hash needs no salt. */
const SECRET_BYTES = 24;
/** `sk_` and six characters: enough to recognise a key, useless for guessing it. */
const SHOWN_CHARACTERS = 9;

export interface NewSecret {
  readonly secret: string;
  readonly prefix: string;
}

/** A fresh secret: `sk_` and 48 lower-case hexadecimal characters. */
export function newSecret(): NewSecret {
  const secret = PREFIX + randomBytes(SECRET_BYTES).toString("hex");
  return { secret, prefix: secret.slice(0, SHOWN_CHARACTERS) };
}

/** SHA-256 in hexadecimal; with a pepper an HMAC, so a copy of the database alone cannot confirm a secret. */
export function secretHasher(pepper: string | undefined): (secret: string) => string {
  if (pepper === undefined) return (secret) => createHash("sha256").update(secret).digest("hex");
  return (secret) => createHmac("sha256", pepper).update(secret).digest("hex");
}
