/** Branded ids: the compiler refuses a key's id where a tenant's is meant. All are plain values at run time. */
declare const brand: unique symbol;
type Brand<Value, Name extends string> = Value & { readonly [brand]: Name };

/** The canonical model name a pool belongs to, or `UNROUTED`. */
export type PoolId = Brand<string, "PoolId">;
/** A group's name, which is also its id. */
export type GroupId = Brand<string, "GroupId">;
/** A tenant's id, the same in every pool; equal ranks are decided by its code units. */
export type TenantId = Brand<string, "TenantId">;
/** The id of a key's record, never the secret that clients send. */
export type KeyId = Brand<string, "KeyId">;
/** A session id as the client sent it or the gateway derived it; unique only together with its key. */
export type SessionId = Brand<string, "SessionId">;
/** One request's number inside one engine; chosen by the caller, rising, never used twice. */
export type WaiterId = Brand<number, "WaiterId">;

// The six below vouch for a value and check nothing: call them where it enters, once, and pass the branded id on.
export const poolId = (name: string): PoolId => name as PoolId;
export const groupId = (name: string): GroupId => name as GroupId;
export const tenantId = (id: string): TenantId => id as TenantId;
export const keyId = (id: string): KeyId => id as KeyId;
export const sessionId = (id: string): SessionId => id as SessionId;
export const waiterId = (sequence: number): WaiterId => sequence as WaiterId;

/** The pool that every unregistered model name shares. */
export const UNROUTED: PoolId = poolId("(unrouted)");
