export { connect, type Db, type DbHandle, type DbOptions, makeDb, type Tx } from "./client";
export * from "./config-changes";
export { migrate, SchemaTooNewError } from "./migrate";
export * from "./queries/load-key-policy";
export * from "./queries/load-labels";
export * from "./queries/load-models";
export * from "./usage-batch";
