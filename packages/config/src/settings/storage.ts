/** Where data is kept, for how long, and what a first run puts there. */
import { choice, flag, HTTP, integer, optionalUrl, text, url } from "../setting";

export const storageSettings = {
  dataDir: text("OBLETH_DATA_DIR", {
    default: ".obleth",
    allowed: "a folder's path",
    pattern: /^[^\0]+$/,
    about: "Keeps the embedded database, generated secrets and run.json. One gateway process at a time may use it.",
  }),
  databaseUrl: optionalUrl("OBLETH_DATABASE_URL", {
    schemes: ["postgres", "postgresql"],
    about:
      "A Postgres, 15 or newer, shared by all replicas. Unset starts a real Postgres of its own in OBLETH_DATA_DIR, for one replica.",
  }),
  databasePoolSize: integer("OBLETH_DATABASE_POOL_SIZE", {
    default: 10,
    min: 2,
    max: 200,
    unit: "connections",
    about: "Most connections one gateway opens. Requests rarely reach the database, so ten serve a busy replica.",
  }),
  databasePrepare: flag("OBLETH_DATABASE_PREPARE", {
    default: true,
    about: "Uses prepared statements. Turn off behind a pgbouncer in transaction mode, which cannot keep them.",
  }),
  embeddedPostgresPort: integer("OBLETH_EMBEDDED_POSTGRES_PORT", {
    default: 0,
    min: 0,
    max: 65_535,
    about: "Loopback port of the embedded database; 0 takes a free one, which run.json then names.",
  }),
  seed: choice("OBLETH_SEED", {
    of: ["sample", "none"],
    default: "sample",
    about:
      "What a first run puts into an empty embedded database: two sample tenants, their keys and a simulated model, or nothing.",
  }),
  simBackendUrl: url("OBLETH_SIM_BACKEND_URL", {
    ...HTTP,
    default: "http://127.0.0.1:9400",
    about: "Where the sample model's simulated backend answers.",
  }),
  usageRetentionDays: integer("OBLETH_USAGE_RETENTION_DAYS", {
    default: 180,
    min: 1,
    max: 3650,
    unit: "days",
    about: "How long usage rows are kept. Whole daily partitions are dropped, so this costs nothing per row.",
  }),
};
