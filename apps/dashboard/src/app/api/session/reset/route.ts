import { callManagementJson } from "../../../../server/management";
import { isSameOrigin } from "../../../../server/same-origin";

export const dynamic = "force-dynamic";

const TIMEOUT_MS = 10_000;

/** Sets a password by a reset link and leads to the login page. */
export async function POST(request: Request): Promise<Response> {
  if (!isSameOrigin(request.headers)) return new Response("Refused", { status: 403 });
  const form = new URLSearchParams(await request.text());
  const token = form.get("token") ?? "";
  const back = (problem: string) => seeOther(`/reset?${new URLSearchParams({ token, problem }).toString()}`);
  try {
    const answer = await callManagementJson({
      method: "POST",
      path: "/auth/reset",
      headers: { "content-type": "application/json" },
      body: Buffer.from(JSON.stringify({ token, new_password: form.get("password") ?? "" })),
      timeoutMs: TIMEOUT_MS,
    });
    if (answer.status >= 200 && answer.status < 300) return seeOther("/login");
    return back(fieldOf(answer.body) === "new_password" ? "password" : "link");
  } catch {
    return back("unreachable");
  }
}

function fieldOf(body: unknown): unknown {
  return (body as { error?: { field?: unknown } } | null)?.error?.field;
}

function seeOther(location: string): Response {
  return new Response(null, { status: 303, headers: { location, "cache-control": "no-store" } });
}
