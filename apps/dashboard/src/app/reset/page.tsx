import type { Metadata } from "next";
import { Mark } from "../../components/layout/mark";

export const metadata: Metadata = { title: "Choose a password", referrer: "no-referrer" };
export const dynamic = "force-dynamic";

interface ResetPageProps {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

const PROBLEMS: ReadonlyMap<string, string> = new Map([
  ["link", "This link does not work any more. Ask for another one."],
  ["password", "A password has at least 10 characters. Choose a longer one."],
  ["unreachable", "The gateway's management API cannot be reached. Try again in a moment."],
]);

/** Where a reset link leads: choosing a password, with or without scripts. */
export default async function ResetPage({ searchParams }: ResetPageProps) {
  const { token, problem } = await searchParams;
  const message = typeof problem === "string" ? PROBLEMS.get(problem) : undefined;
  return (
    <main className="grid min-h-dvh place-items-center bg-subtle px-4 py-10">
      <section className="w-full max-w-[400px] rounded-panel border bg-card p-6 sm:p-8" aria-labelledby="reset-title">
        <Mark className="size-8" />
        <h1 id="reset-title" className="mt-4 text-h1">
          Choose a password
        </h1>
        {message ? (
          <p role="alert" className="mt-4 rounded-control border-l-4 border-l-urgent bg-subtle px-3 py-2 text-small">
            {message}
          </p>
        ) : null}
        <form method="post" action="/api/session/reset" className="mt-5 space-y-4">
          <input type="hidden" name="token" value={typeof token === "string" ? token : ""} />
          <label className="block">
            <span className="mb-1 block text-small text-text-2">New password</span>
            <input
              className="h-10 w-full rounded-control border border-edge bg-card px-3"
              type="password"
              name="password"
              autoComplete="new-password"
              minLength={10}
              required
            />
          </label>
          <button
            type="submit"
            className="h-10 w-full rounded-control bg-text px-4 font-medium text-bg hover:opacity-90"
          >
            Set the password
          </button>
        </form>
      </section>
    </main>
  );
}
