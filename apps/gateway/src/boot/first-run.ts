/**
 * What the first run leaves behind: an administrator who can sign in and, unless asked not to, sample data. The files
 * for people are written before the rows they speak of, so that no secret is in the database that nobody was told.
 */
import { randomBytes } from "node:crypto";
import path from "node:path";
import { hash } from "@node-rs/argon2";
import type { Settings } from "@obleth/config";
import {
  type ChangeContext,
  createUser,
  type Db,
  isUnconfigured,
  listUsers,
  newSecret,
  SAMPLE_MODEL,
  SAMPLE_TENANTS,
  seedSample,
} from "@obleth/db";
import type { Log } from "../log";
import { writePrivate } from "./secrets";

export interface FirstRunOptions {
  readonly settings: Settings;
  readonly db: Db;
  /** Null with a database that others run: then nothing is made up. */
  readonly dataDir: string | null;
  readonly hashSecret: (secret: string) => string;
  readonly wallMs: () => number;
  readonly log: Log;
}

/** Enough against guessing at a login that is rate-limited; short enough to type. */
const PASSWORD_BYTES = 12;

/** Does nothing once there is a user. */
export async function firstRun(options: FirstRunOptions): Promise<void> {
  const { settings, db, dataDir, log } = options;
  const users = await listUsers(db, { sort: "email", dir: "asc", limit: 1, cursor: undefined });
  if (users.total > 0) return;
  const context: ChangeContext = { actor: "system", source: "system", requestId: null, nowMs: options.wallMs() };
  if (dataDir !== null && settings.seed === "sample" && (await isUnconfigured(db)))
    await seed(options, context, dataDir);
  const password =
    settings.adminPassword ?? (dataDir === null ? null : randomBytes(PASSWORD_BYTES).toString("base64url"));
  if (password === null) {
    log.warn({}, "first_run.no_user");
    return;
  }
  if (dataDir !== null && settings.adminPassword === null) {
    writePrivate(path.join(dataDir, "admin-login.json"), json({ email: settings.adminEmail, password }));
  }
  await createUser(db, context, { email: settings.adminEmail, role: "admin", passwordHash: await hash(password) });
  log.info({ email: settings.adminEmail }, "first_run.user_made");
}

async function seed(options: FirstRunOptions, context: ChangeContext, dataDir: string): Promise<void> {
  const { settings, db, hashSecret, log } = options;
  const made = new Map(SAMPLE_TENANTS.map(({ name }) => [name, newSecret()]));
  const keys = Object.fromEntries([...made].map(([name, { secret }]) => [name, secret]));
  writePrivate(path.join(dataDir, "sample-keys.json"), json({ model: SAMPLE_MODEL.name, keys }));
  await seedSample(db, context, {
    apiBase: `${settings.simBackendUrl}/v1`,
    secretOf: (name) => {
      const secret = made.get(name);
      if (secret === undefined) throw new TypeError(`no secret was made for ${name}`);
      return { hash: hashSecret(secret.secret), prefix: secret.prefix };
    },
  });
  log.info({ model: SAMPLE_MODEL.name, tenants: [...made.keys()] }, "first_run.sample_made");
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
