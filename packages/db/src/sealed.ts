/**
 * Credentials at rest: AES-256-GCM under a key derived from the encryption key. What is sealed for one purpose does not
 * open for another, and a changed byte does not open at all.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const VERSION = "v1";
/**
 * The length of nonce that GCM is defined for (NIST SP 800-38D); random, and far fewer than 2^32 values are ever
 * sealed.
 */
const IV_BYTES = 12;
/** The whole tag of GCM: a shorter one is easier to forge. */
const TAG_BYTES = 16;

export type SealPurpose = "endpoint_key" | "endpoint_header" | "idempotency";

/** A sealed value does not open: another encryption key was in use, or the value was changed. */
export class UnsealError extends Error {
  override readonly name = "UnsealError";
  readonly code = "cannot_unseal";
}

export interface Sealer {
  seal(plain: string, purpose: SealPurpose): string;
  /** Throws `UnsealError`; the message never holds the value. */
  open(sealed: string, purpose: SealPurpose): string;
}

export function makeSealer(encryptionKey: string): Sealer {
  const key = Buffer.from(hkdfSync("sha256", encryptionKey, "obleth", "credentials at rest", 32));
  return {
    seal(plain, purpose) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(Buffer.from(purpose));
      const body = Buffer.concat([cipher.update(plain, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return `${VERSION}.${Buffer.concat([iv, body]).toString("base64url")}`;
    },
    open(sealed, purpose) {
      const [version, text] = sealed.split(".");
      const bytes = Buffer.from(text ?? "", "base64url");
      if (version !== VERSION || bytes.length < IV_BYTES + TAG_BYTES) throw new UnsealError("Not a sealed value.");
      try {
        const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, IV_BYTES));
        decipher.setAAD(Buffer.from(purpose)).setAuthTag(bytes.subarray(-TAG_BYTES));
        const plain = [decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()];
        return Buffer.concat(plain).toString("utf8");
      } catch {
        throw new UnsealError("A stored credential does not open: was OBLETH_ENCRYPTION_KEY changed?");
      }
    },
  };
}
