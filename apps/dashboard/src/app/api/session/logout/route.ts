import { callManagementJson } from "../../../../server/management";
import { isSameOrigin } from "../../../../server/same-origin";
import { endSession, isSecureRequest } from "../../../../server/session";

export const dynamic = "force-dynamic";

/** Ends the session here and at the gateway. The cookie goes even when the gateway cannot be told. */
export async function POST(request: Request): Promise<Response> {
  if (!isSameOrigin(request.headers)) return new Response("Refused", { status: 403 });
  const session = await endSession(isSecureRequest(request));
  if (session !== null) {
    await callManagementJson({ method: "POST", path: "/auth/logout", token: session.token, timeoutMs: 3000 }).catch(
      () => undefined,
    );
  }
  return new Response(null, { status: 303, headers: { location: "/login", "cache-control": "no-store" } });
}
