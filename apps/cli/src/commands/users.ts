/** `obleth users`: who may sign in to the dashboard, and a way back in for whoever lost the password. */
import type { Command } from "commander";
import { CommandError } from "../failure";
import { visible } from "../output/plain-text";
import { tableLines } from "../output/table";
import type { Session } from "../session";

/** Where `npm start` puts the dashboard. */
const DASHBOARD = "http://127.0.0.1:3000";
const MOST_LISTED = 200;

export function addUsers(program: Command, session: Session): void {
  const users = program.command("users").description("list who may sign in, and make links to choose a password");
  users
    .command("list")
    .description("list who may sign in to the dashboard")
    .action(async () => {
      const { data } = await session.api.call("listUsers", { query: { limit: MOST_LISTED } });
      session.show(data, () =>
        tableLines(
          data.items,
          [
            { title: "email", cell: (user) => user.email, narrowest: 16 },
            { title: "role", cell: (user) => user.role },
          ],
          session.terminal.width,
        ),
      );
    });
  users
    .command("reset-link")
    .description("make a link with which someone chooses a password, once")
    .argument("<email>", "whose password it is")
    .option("--dashboard <address>", "where they reach the dashboard", DASHBOARD)
    .action(async (email: string, { dashboard }: { dashboard: string }) => {
      const { data } = await session.api.call("createResetLink", { params: { id: await userId(session, email) } });
      session.show(data, () => [visible(`${dashboard.replace(/\/+$/, "")}${data.path}`)]);
      if (!session.isJson) session.terminal.remark(visible(`It works once, until ${data.expires_at}.`));
    });
}

async function userId(session: Session, email: string): Promise<string> {
  const { data } = await session.api.call("listUsers", { query: { q: email, limit: MOST_LISTED } });
  const found = data.items.find((user) => user.email.toLowerCase() === email.trim().toLowerCase());
  if (found !== undefined) return found.id;
  throw new CommandError(`Nobody signs in as ${email}.`, {
    hint: "obleth users list shows who does; an admin adds people in the dashboard's settings.",
    code: "not_found",
  });
}
