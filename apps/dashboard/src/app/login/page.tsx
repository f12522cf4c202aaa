import type { Metadata } from "next";
import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { LoginForm } from "../../features/login/login-form";
import { callManagementJson } from "../../server/management";
import { safeNext } from "../../server/safe-next";
import { readFlash, readSession } from "../../server/session";

export const metadata: Metadata = { title: "Sign in" };

interface LoginPageProps {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export default async function LoginPage({ searchParams }: LoginPageProps) {
  const { next, ended } = await searchParams;
  const wanted = safeNext(typeof next === "string" ? next : null);
  const hasEnded = ended === "1";
  if (!hasEnded && (await readSession()) !== null) redirect(wanted);
  const { problem, email, retryAfterSecs } = await readFlash();
  const gateway = await readAuthState();
  return (
    <LoginForm
      next={wanted}
      host={(await headers()).get("host") ?? ""}
      environment={gateway.environment}
      state={gateway.state}
      problem={problem ?? (hasEnded ? "ended" : null)}
      email={email ?? ""}
      retryAfterSecs={retryAfterSecs ?? 0}
    />
  );
}

/** What the gateway tells anyone before signing in; never fails the page. */
async function readAuthState(): Promise<{ state: "ready" | "first_run" | "unreachable"; environment: string | null }> {
  try {
    const answer = await callManagementJson({ method: "GET", path: "/auth/state", timeoutMs: 3000 });
    const body = (answer.body ?? {}) as { first_run?: unknown; environment_label?: unknown };
    const environment =
      typeof body.environment_label === "string" && body.environment_label !== "" ? body.environment_label : null;
    if (answer.status !== 200) return { state: "unreachable", environment };
    return { state: body.first_run === true ? "first_run" : "ready", environment };
  } catch {
    return { state: "unreachable", environment: null };
  }
}
