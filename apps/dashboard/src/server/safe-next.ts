const BASE = "http://dashboard.invalid";

/** A path of this site to return to after signing in; anything else reads as the start page. */
export function safeNext(next: string | null | undefined): string {
  if (!next?.startsWith("/") || !URL.canParse(next, BASE)) return "/";
  const url = new URL(next, BASE);
  if (url.origin !== BASE || url.pathname.startsWith("//")) return "/";
  const isLoop = url.pathname === "/login" || url.pathname.startsWith("/login/");
  if (isLoop || url.pathname === "/api" || url.pathname.startsWith("/api/")) return "/";
  return `${url.pathname}${url.search}${url.hash}`;
}
