/**
 * Whether a write comes from a page of this site. Browsers say so in `Sec-Fetch-Site` on secure origins and in
 * `Origin` on every write; a request with neither proof is refused, so a form on another site cannot use the cookie.
 */
export function isSameOrigin(headers: Headers): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  const origin = headers.get("origin");
  const host = headers.get("host");
  if (origin === null || host === null || !URL.canParse(origin)) return false;
  return new URL(origin).host === host.toLowerCase();
}
