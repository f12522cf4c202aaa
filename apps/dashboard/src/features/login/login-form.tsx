import { FocusOnArrival } from "../../components/layout/focus-on-arrival";
import { Mark } from "../../components/layout/mark";
import { formatDuration } from "../../lib/format";

type Problem = "wrong" | "too_many" | "unreachable" | "foreign" | "failed" | "ended";

interface LoginFormProps {
  next: string;
  host: string;
  environment: string | null;
  state: "ready" | "first_run" | "unreachable";
  problem: Problem | null;
  email: string;
  retryAfterSecs: number;
}

const FIELD =
  "h-10 w-full rounded-control border border-edge bg-card px-3 text-body text-text placeholder:text-text-3 focus-visible:outline-offset-0";

/** A plain form: it posts and is answered by a redirect, with or without scripts. */
export function LoginForm(props: Readonly<LoginFormProps>) {
  const isWrong = props.problem === "wrong";
  return (
    <main className="grid min-h-dvh place-items-center bg-subtle px-4 py-10">
      <div className="w-full max-w-[400px] space-y-4">
        <section className="rounded-panel border bg-card p-6 sm:p-8" aria-labelledby="login-title">
          <Mark className="size-8" />
          <h1 id="login-title" className="mt-4 text-h1">
            Sign in to obleth
          </h1>
          <p className="mt-1 text-small text-text-2">
            <span className="name font-mono">{props.host}</span>
            {props.environment ? <span> · {props.environment}</span> : null}
          </p>
          <Notice {...props} />
          <FocusOnArrival id={isWrong ? "login-notice" : "login-email"} />
          <form method="post" action="/api/session" className="mt-5 space-y-4">
            <input type="hidden" name="next" value={props.next} />
            <label className="block">
              <span className="mb-1 block text-small text-text-2">Email</span>
              <input
                className={FIELD}
                type="email"
                name="email"
                autoComplete="username"
                defaultValue={props.email}
                required
                id="login-email"
              />
            </label>
            <label className="block">
              <span className="mb-1 block text-small text-text-2">Password</span>
              <input
                className={FIELD}
                type="password"
                name="password"
                autoComplete="current-password"
                required
                aria-invalid={isWrong || undefined}
                aria-describedby={isWrong ? "login-notice" : undefined}
              />
            </label>
            <button
              type="submit"
              className="h-10 w-full rounded-control bg-text px-4 text-body font-medium text-bg hover:opacity-90"
            >
              Sign in
            </button>
          </form>
        </section>
        <p className="px-2 text-small text-text-2">
          No password, or it is lost? An operator makes a reset link with
          <code className="mt-1 block w-fit rounded-control bg-card px-2 py-1 font-mono text-micro">
            obleth users reset-link you@example.com
          </code>
        </p>
      </div>
    </main>
  );
}

function Notice(props: Readonly<LoginFormProps>) {
  const text = noticeText(props);
  if (text === null) return null;
  const isQuiet = props.problem === "ended" || (props.problem === null && props.state === "first_run");
  return (
    <div
      id="login-notice"
      role={isQuiet ? "status" : "alert"}
      tabIndex={-1}
      className={`mt-4 rounded-control border-l-4 bg-subtle px-3 py-2 text-small ${isQuiet ? "border-l-open" : "border-l-urgent"}`}
    >
      {text}
    </div>
  );
}

function noticeText({ problem, state, retryAfterSecs }: LoginFormProps): string | null {
  if (problem === "wrong") return "That email and password do not match. Check both and try again.";
  if (problem === "too_many") return `Too many tries. Try again in ${formatDuration(retryAfterSecs * 1000)}.`;
  if (problem === "foreign") return "That sign-in came from another site and was refused. Sign in here.";
  if (problem === "failed") return "The gateway gave an answer this page does not understand. Try again.";
  if (problem === "unreachable" || state === "unreachable") {
    return "The gateway's management API cannot be reached. Check that the gateway runs and OBLETH_MANAGEMENT_URL points at it.";
  }
  if (problem === "ended") return "Your session has ended. Sign in to go on where you were; drafts are kept.";
  if (state === "first_run") {
    return "First start: the gateway printed an admin email and password to its console. Use them here and add people in Settings.";
  }
  return null;
}
