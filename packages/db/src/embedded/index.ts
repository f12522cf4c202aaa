export { type DataLock, lockDataDir } from "./data-lock";
export { EmbeddedDatabaseError } from "./embedded-error";
export { type EmbeddedOptions, type EmbeddedPostgres, startEmbeddedPostgres } from "./server";
