/**
 * Tells every replica what changed in the configuration. A change sends its notice inside its own transaction, so it
 * arrives if and only if the change is committed, whatever happens to Redis. The configuration version is polled as a
 * backstop: a notice that was missed (connection lost, listener restarted) shows as a jump and means "anything".
 */

import { sql } from "drizzle-orm";
import { connect, type Db, type Tx } from "./client";

export const CONFIG_CHANNEL = "obleth_config";

/** Postgres refuses payloads of 8,000 bytes; a longer list is sent as "anything". */
const MAX_PAYLOAD_BYTES = 7_000;

export const CONFIG_KINDS = ["group", "tenant", "key", "model", "boost", "settings", "user"] as const;

export interface ConfigChange {
  readonly kind: (typeof CONFIG_KINDS)[number];
  /** The row's id; a group's too (not its name). */
  readonly id: string;
}

export interface ConfigNotice {
  /** Configuration version that holds the change; rises with every change. */
  readonly version: number;
  /** `"all"`: notices may have been missed, so trust nothing cached before. */
  readonly changes: readonly ConfigChange[] | "all";
}

export interface ConfigWatch {
  /** Newest version seen. */
  version(): number;
  close(): Promise<void>;
}

export interface WatchOptions {
  readonly url: string;
  readonly db: Db;
  /** Milliseconds between polls of the version, from 1. */
  readonly pollMs: number;
  /** Runs `fire` once after `delayMs`; the gateway's clock. */
  readonly setTimer: (delayMs: number, fire: () => void) => { cancel(): void };
  /** Called in order of versions; must not throw. */
  readonly onNotice: (notice: ConfigNotice) => void;
  /** A poll or the listener failed; told for logs only. */
  readonly onFault?: (error: unknown) => void;
}

/** Begins to watch; resolves once listening and the present version is known. */
export async function watchConfigChanges(options: WatchOptions): Promise<ConfigWatch> {
  const listener = connect(options.url, { max: 1 });
  let version = await readConfigVersion(options.db);
  let isClosed = false;
  let timer: { cancel(): void } | undefined;

  const deliver = (notice: ConfigNotice) => {
    if (notice.version <= version) return;
    const missed = notice.version > version + 1;
    version = notice.version;
    options.onNotice(missed ? { version, changes: "all" } : notice);
  };
  const poll = async () => {
    try {
      const newest = await readConfigVersion(options.db);
      if (newest > version) deliver({ version: newest, changes: "all" });
    } catch (error) {
      options.onFault?.(error);
    }
  };
  const pollForever = () => {
    if (isClosed) return;
    timer = options.setTimer(options.pollMs, () => void poll().finally(pollForever));
  };

  await listener.listen(
    CONFIG_CHANNEL,
    (payload) => deliver(parseNotice(payload, version)),
    () => void poll(),
  );
  pollForever();

  return {
    version: () => version,
    close: async () => {
      isClosed = true;
      timer?.cancel();
      await listener.end({ timeout: 5 });
    },
  };
}

export async function readConfigVersion(db: Tx): Promise<number> {
  const rows = await db.execute<{ version: string }>(sql`select version::text as version from config_version`);
  return Number(rows[0]?.version ?? 0);
}

/** Sends the notice with the transaction: it goes out when, and only when, the transaction commits. */
export async function notifyConfig(tx: Tx, notice: ConfigNotice): Promise<void> {
  const full = JSON.stringify(notice);
  const payload =
    Buffer.byteLength(full) > MAX_PAYLOAD_BYTES ? JSON.stringify({ version: notice.version, changes: "all" }) : full;
  await tx.execute(sql`select pg_notify(${CONFIG_CHANNEL}, ${payload})`);
}

/** A payload nobody of ours wrote counts as "anything changed" at the next version. */
function parseNotice(payload: string, version: number): ConfigNotice {
  try {
    const notice = JSON.parse(payload) as ConfigNotice;
    const isNotice =
      Number.isSafeInteger(notice.version) && (notice.changes === "all" || Array.isArray(notice.changes));
    if (isNotice) return notice;
  } catch {
    // Falls through to the cautious answer.
  }
  return { version: version + 1, changes: "all" };
}
