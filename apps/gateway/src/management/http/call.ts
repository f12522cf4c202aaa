/** What a handler is called with and what it gives back, typed by the route table. */
import type { RouteId, Routes } from "@obleth/contract";
import type { ChangeContext, Changed } from "@obleth/db";
import type { z } from "zod";
import type { Caller } from "../auth/caller";

type Parsed<Id extends RouteId, Name extends string> = Routes[Id] extends { readonly [P in Name]: infer Schema }
  ? Schema extends z.ZodType
    ? z.output<Schema>
    : undefined
  : undefined;

export type AnswerOf<Id extends RouteId> = Routes[Id] extends { readonly response: infer Schema }
  ? Schema extends z.ZodType
    ? z.input<Schema>
    : undefined
  : undefined;

/** A checked request. */
export interface Call<Id extends RouteId> {
  readonly params: Parsed<Id, "params">;
  readonly query: Parsed<Id, "query">;
  readonly body: Parsed<Id, "body">;
  readonly caller: Caller;
  /** Who changes what, for the audit row; a dry run when `?dry_run=true`. */
  readonly context: ChangeContext;
  /** From `If-Match`; undefined when anything goes. */
  readonly expectedVersion: number | undefined;
  readonly request: Request;
  /** Where the connection comes from. */
  readonly remoteAddress: string;
}

/** What a route answers, beside faults, which are thrown. */
export interface Reply {
  /** Undefined: no body. */
  readonly data?: unknown;
  /** The object's version, sent as its ETag. */
  readonly version?: number;
  readonly auditId?: number | null;
  readonly configVersion?: number;
  readonly status?: 200 | 201 | 204;
  /** Sent as it is, instead of all of the above. */
  readonly response?: Response;
}

export type Handler<Id extends RouteId> = (call: Call<Id>) => Reply | Promise<Reply>;
export type Handlers = { readonly [Id in RouteId]: Handler<Id> };

/** An answer to a read; the type says what the contract promises for the route. */
export function answer<Id extends RouteId>(_route: Id, data: AnswerOf<Id>, version?: number): Reply {
  return version === undefined ? { data } : { data, version };
}

/** An answer to a change, with the audit row and configuration version that hold it. */
export function changedReply(changed: Changed<unknown>, reply: Reply): Reply {
  return { ...reply, auditId: changed.auditId, configVersion: changed.configVersion };
}
