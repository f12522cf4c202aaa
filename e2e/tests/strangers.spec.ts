/** What the dashboard gives to whoever has not signed in, however they ask: nothing. */
import { once } from "node:events";
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { expect, signIn, test } from "../support/fixtures";
import { PAGES } from "../support/pages";

/** What strangers send to be taken for somebody else, or for the server itself. */
const SPOOFS: Record<string, string>[] = [
  {},
  { "x-middleware-subrequest": "proxy:proxy:proxy:proxy:proxy" },
  { "x-middleware-subrequest": "src/proxy:src/proxy:src/proxy:src/proxy:src/proxy" },
  { "x-middleware-subrequest": "middleware:middleware:middleware:middleware:middleware" },
  { "x-nextjs-data": "1" },
  { rsc: "1" },
  { rsc: "1", "next-router-prefetch": "1", "next-router-segment-prefetch": "/_tree" },
  { host: "localhost" },
  { host: "127.0.0.1", "x-forwarded-for": "127.0.0.1" },
  { "x-forwarded-host": "localhost", "x-forwarded-proto": "https" },
  { "x-obleth-requested-path": "/login", "x-nonce": "x" },
  { cookie: "obleth_session=Fe26.2*forged" },
  { cookie: "obleth_session=a*b*c*d*e*f*g*h; obleth_login=*******" },
  { authorization: "Bearer guess" },
];

/** Other ways to write an address; a browser would tidy them, a stranger does not. */
const SPELLINGS: readonly ((path: string) => string)[] = [
  (path) => path,
  (path) => `/${path}`,
  (path) => `${path}/`,
  (path) => `${path}.`,
  (path) => `${path}%2f`,
  (path) => `/.${path}`,
  (path) => `/login/..${path}`,
  (path) => `/login/%2e%2e${path}`,
  (path) => `/_next/static/../..${path}`,
  (path) => `${path.slice(0, -1)}%${path.charCodeAt(path.length - 1).toString(16)}`,
  (path) => path.toUpperCase(),
  (path) => `${path}.rsc`,
  (path) => `${path}.json`,
  (path) => `/_next/data/build${path}.json`,
  (path) => `/_next/image?url=${encodeURIComponent(path)}&w=64&q=75`,
];

interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

interface RawCall {
  readonly path: string;
  readonly method?: string;
  readonly headers: Record<string, string>;
}

/** The address and the headers go out as they are written. */
async function ask(base: string, asked: RawCall): Promise<RawAnswer> {
  const { hostname, port } = new URL(base);
  const call = httpRequest({ hostname, port, agent: false, method: "GET", ...asked });
  call.end();
  const [response] = (await once(call, "response")) as [IncomingMessage];
  return { status: response.statusCode ?? 0, headers: response.headers, text: await text(response) };
}

/** Where a stranger ends up, following every redirect with the same headers; the path is that of the last answer. */
async function askOnwards(base: string, asked: RawCall): Promise<RawAnswer & { readonly path: string }> {
  let { path } = asked;
  for (let hop = 0; hop < 5; hop++) {
    const answer = await ask(base, { ...asked, path });
    const { location } = answer.headers;
    if (answer.status < 300 || answer.status >= 400 || location === undefined) return { ...answer, path };
    const { pathname, search } = new URL(location, base);
    path = `${pathname}${search}`;
  }
  throw new Error(`${asked.path} leads round in a circle`);
}

test("no page and no data is given to anybody without a session, however it is asked for", async ({ page, stack }) => {
  test.setTimeout(180_000);
  await signIn(page, stack);
  const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
  const base = stack.urls.dashboard;
  // What only somebody signed in is told, on a page or in an answer.
  const secrets = [stack.login.email, "chatbot", '"in_flight"'];
  const told = (answer: RawAnswer) => secrets.some((secret) => answer.text.includes(secret));
  expect(told(await ask(base, { path: "/fairshare", headers: { cookie } }))).toBe(true);
  const faults: string[] = [];
  const tryOut = async (asked: RawCall) => {
    const answer = await askOnwards(base, asked);
    const leadsToLogin =
      answer.path.startsWith("/login") || (answer.text.includes("NEXT_REDIRECT") && answer.text.includes("/login"));
    const isRefused = answer.status >= 400 && answer.status < 500;
    // The outline of an address is the same for everybody and names no object.
    const isOutline = "next-router-segment-prefetch" in asked.headers && answer.status === 200;
    if (told(answer) || !(isRefused || leadsToLogin || isOutline))
      faults.push(`${answer.status} for ${JSON.stringify(asked)}`);
  };
  for (const path of [...PAGES, "/api/v1/tenants", "/api/v1/fairshare/live", "/api/v1/overview"]) {
    await Promise.all(SPOOFS.map((headers) => tryOut({ path, headers })));
    // A server action is asked for by a POST of a page.
    await tryOut({ path, method: "POST", headers: { "next-action": "0".repeat(42) } });
    await tryOut({ path, method: "HEAD", headers: {} });
  }
  for (const path of ["/", "/fairshare", "/tenants/x", "/api/v1/tenants", "/api/v1/fairshare/live"]) {
    for (const headers of [{}, { rsc: "1" }]) {
      await Promise.all(SPELLINGS.map((spelling) => tryOut({ path: spelling(path), headers })));
    }
  }
  expect(faults).toEqual([]);
});

test("an idle connection is kept for longer than a balancer keeps it", async ({ stack }) => {
  const { headers } = await ask(stack.urls.dashboard, { path: "/login", headers: { connection: "keep-alive" } });
  expect(headers["keep-alive"]).toMatch(/timeout=(7[0-9]|[89][0-9]|[0-9]{3,})/);
});
