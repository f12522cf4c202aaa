/** Secrets, and the first user. */
import { secret, text } from "../setting";

export const secretSettings = {
  adminToken: secret("OBLETH_ADMIN_TOKEN", {
    minLength: 16,
    about:
      "Bearer token that may do everything on the management API, for automation. Required with OBLETH_DATABASE_URL; otherwise made on the first run.",
  }),
  sessionSecret: secret("OBLETH_SESSION_SECRET", {
    minLength: 32,
    about: "Seals the dashboard's session cookie. Required with OBLETH_DATABASE_URL; otherwise made on the first run.",
  }),
  encryptionKey: secret("OBLETH_ENCRYPTION_KEY", {
    minLength: 32,
    about:
      "Encrypts endpoint credentials in the database; all replicas need the same. Required with OBLETH_DATABASE_URL; otherwise made on the first run. Losing it means entering the credentials again.",
  }),
  apiKeyPepper: secret("OBLETH_API_KEY_PEPPER", {
    minLength: 16,
    about:
      "Mixed into the hash of API keys, so that a stolen database cannot test guesses. Changing it voids all keys.",
  }),
  adminEmail: text("OBLETH_ADMIN_EMAIL", {
    default: "admin@obleth.local",
    allowed: "an email address",
    pattern: /^[^\s@]+@[^\s@]+$/,
    about: "Who the first user is. Only read while there are no users.",
  }),
  adminPassword: secret("OBLETH_ADMIN_PASSWORD", {
    minLength: 12,
    about:
      "Password of the first user. Only read while there are no users; unset, a run with the embedded database makes one and prints it once.",
  }),
};
