/**
 * The management API as one Hono app, to be mounted on the admin listener: every route of the contract's table under
 * `/api/v1`, with its reference. One path for all: identify, authorise, check, handle, answer.
 */
import { API_BASE, paths, type RouteId, type RouteSpec, routes, takesIfMatch } from "@obleth/contract";
import { type Context, Hono } from "hono";
import { type Caller, Callers, NOBODY } from "./auth/caller";
import type { ManagementDeps } from "./deps";
import { allHandlers } from "./handlers";
import { readJsonBody } from "./http/body";
import type { Call, Handler, Reply } from "./http/call";
import { check, readQuery } from "./http/check";
import { etagOf, expectedVersion } from "./http/etag";
import { Fault, faultOf, faultResponse } from "./http/fault";
import { requestIdOf } from "./http/request-id";
import { mountReference } from "./reference";

/** For whoever has not said who they are: enough to sign in with. */
const MAX_PUBLIC_BODY_BYTES = 16_384;
/** For every route but the import of a file. Parsing a large body would hold up requests to models. */
const MAX_BODY_BYTES = 1024 * 1024;

type Env = { Variables: { requestId: string } };

/** Builds the app; it holds no connection of its own and needs no closing. */
export function createManagementApp(deps: ManagementDeps): Hono<Env> {
  const app = new Hono<Env>();
  const handlers = allHandlers(deps);
  const callers = new Callers(deps);

  app.use("*", async (context, next) => {
    const requestId = requestIdOf(context.req.header("x-request-id"));
    context.set("requestId", requestId);
    await next();
    context.res.headers.set("x-obleth-request-id", requestId);
    context.res.headers.set("x-content-type-options", "nosniff");
    if (!context.res.headers.has("cache-control")) context.res.headers.set("cache-control", "no-store");
  });
  app.onError((error, context) => {
    const requestId = context.get("requestId");
    return faultResponse(faultOf(error, { log: deps.log, requestId }), requestId);
  });

  mountReference(app, deps);
  for (const id of Object.keys(paths) as RouteId[]) {
    const { method, path } = paths[id];
    // The table pairs each route with its own handler; a loop over all of them cannot say so in types.
    const handler = handlers[id] as Handler<RouteId>;
    const spec: RouteSpec = routes[id];
    app.on(method, API_BASE + path.replace(/\{(\w+)\}/g, ":$1"), (context) =>
      serve({ deps, callers, context, id, spec, handler }),
    );
  }
  app.notFound((context) => {
    const allowed = methodsOf(context.req.path);
    const fault =
      allowed.length === 0
        ? new Fault("not_found", `There is no such route; see ${API_BASE}/openapi.json.`)
        : new Fault("method_not_allowed", `Use ${allowed.join(", ")} here.`, { allow: allowed.join(", ") });
    return faultResponse(fault, context.get("requestId"));
  });
  return app;
}

interface Serving {
  readonly deps: ManagementDeps;
  readonly callers: Callers;
  readonly context: Context<Env>;
  readonly id: RouteId;
  readonly spec: RouteSpec;
  readonly handler: Handler<RouteId>;
}

async function serve({ deps, callers, context, id, spec, handler }: Serving): Promise<Response> {
  const { req } = context;
  const caller = spec.role === "public" ? NOBODY : await callers.identify(req.header("authorization"));
  authorise(spec, caller);
  const params = spec.params === undefined ? {} : pathParams(spec.params, req.param());
  const search = new URL(req.url).searchParams;
  const rawQuery = readQuery(spec.query, search);
  const query = spec.query === undefined ? noQuery(rawQuery) : check(spec.query, rawQuery, "parameter");
  if (req.header("if-match") !== undefined && req.method !== "GET" && !takesIfMatch(id)) {
    throw new Fault("invalid_request", "if-match is not taken here: nothing would be compared.", { field: "if-match" });
  }
  const maxBytes = maxBodyBytes(id, spec, deps.settings);
  const body = spec.body === undefined ? undefined : check(spec.body, await readJsonBody(req.raw, maxBytes));
  const isDryRun = (query as { dry_run?: boolean } | undefined)?.dry_run === true;
  const call = {
    params,
    query,
    body,
    caller,
    context: {
      actor: caller.kind === "nobody" ? "nobody" : caller.actor,
      source: req.header("x-obleth-client") === "dashboard" ? "dashboard" : "api",
      requestId: context.get("requestId"),
      nowMs: deps.clock.wallMs(),
      isDryRun,
    },
    expectedVersion: expectedVersion(req.header("if-match")),
    request: req.raw,
    remoteAddress: remoteAddressOf(context),
  };
  return toResponse(await handler(call as unknown as Call<RouteId>), spec);
}

function maxBodyBytes(id: RouteId, { role }: RouteSpec, settings: ManagementDeps["settings"]): number {
  if (role === "public") return MAX_PUBLIC_BODY_BYTES;
  return id === "importConfig" ? settings.maxBodyBytes : Math.min(MAX_BODY_BYTES, settings.maxBodyBytes);
}

function authorise(spec: RouteSpec, caller: Caller): void {
  if (spec.role === "public") return;
  if (caller.kind === "nobody") {
    throw new Fault("unauthorized", "Send a session's token or the admin token as Authorization: Bearer.");
  }
  if (spec.role === "admin" && caller.kind === "user" && caller.isRemembered === true) {
    throw new Fault("unavailable", "The database cannot be reached; only reading goes on.", { retryAfterSecs: 5 });
  }
  if (spec.role === "admin" && caller.role !== "admin") throw new Fault("forbidden", "This needs the admin role.");
}

/** An id that cannot be one is simply not found; a number in a path is read as one. */
function pathParams(schema: NonNullable<RouteSpec["params"]>, given: Record<string, string>): unknown {
  const parsed = schema.safeParse(readQuery(schema, new URLSearchParams(given)));
  if (!parsed.success) throw new Fault("not_found", "There is no such object.");
  return parsed.data;
}

function noQuery(query: Record<string, unknown>): Record<string, unknown> {
  const [name] = Object.keys(query);
  if (name !== undefined) throw new Fault("invalid_request", `${name} is not a known parameter.`, { field: name });
  return query;
}

function toResponse(reply: Reply, spec: RouteSpec): Response {
  if (reply.response !== undefined) return reply.response;
  const headers = new Headers({ "cache-control": "no-store" });
  if (reply.version !== undefined) headers.set("etag", etagOf(reply.version));
  if (reply.auditId != null) headers.set("x-obleth-audit-id", String(reply.auditId));
  if (reply.configVersion !== undefined) headers.set("x-obleth-config-version", String(reply.configVersion));
  if (reply.data === undefined) return new Response(null, { status: 204, headers });
  return Response.json(reply.data, { status: reply.status ?? (spec.status === 204 ? 200 : spec.status), headers });
}

function remoteAddressOf(context: Context): string {
  const env = context.env as { incoming?: { socket?: { remoteAddress?: string } } } | undefined;
  return env?.incoming?.socket?.remoteAddress ?? "unknown";
}

function methodsOf(path: string): string[] {
  const matching = Object.values(paths).filter((route) => {
    const pattern = route.path.replace(/[.]/g, "\\.").replace(/\{\w+\}/g, "[^/]+");
    return new RegExp(`^${API_BASE}${pattern}$`).test(path);
  });
  return [...new Set(matching.map((route) => route.method))];
}
