/** The usual way to write a gateway: Hono, global fetch, a Response made of the upstream's body. */

import type { Server } from "node:net";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { reportReady } from "./control";

const app = new Hono();
app.post("/v1/*", async (context) => {
  const body = await context.req.text();
  const headers = new Headers(context.req.raw.headers);
  headers.delete("host");
  headers.delete("content-length");
  headers.delete("connection");
  const answer = await fetch(`http://127.0.0.1:${process.argv[2]}${new URL(context.req.url).pathname}`, {
    method: "POST",
    headers,
    body,
    signal: context.req.raw.signal,
  });
  return new Response(answer.body, { status: answer.status, headers: answer.headers });
});
const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, () => reportReady(server as Server));
