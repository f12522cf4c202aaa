/** `obleth config check` and `obleth migrate`: tasks of the gateway's own program, since settings and database are its. */
import type { Command } from "commander";
import { CommandError } from "../failure";
import { gatewayProgram } from "../places";
import { runNode } from "../run-node";
import type { Session } from "../session";

export function addGatewayTasks(program: Command, session: Session): void {
  const run = async (task: string) => {
    const gateway = gatewayProgram();
    if (gateway === null) {
      const hint = `Run \`npm run build\` in the checkout; in a container run \`node dist/main.js ${task}\` of the gateway.`;
      throw new CommandError("The gateway's program is not here.", { hint });
    }
    session.exitCode = await runNode(
      [...gateway, task, ...(session.isJson ? ["--json"] : [])],
      session.environment.cwd,
    );
  };
  program
    .command("config")
    .description("look at the settings of a gateway started from here")
    .command("check")
    .description("check every OBLETH_* variable and print what is in force, secrets masked")
    .action(() => run("config-check"));
  program
    .command("migrate")
    .description("bring the database of OBLETH_DATABASE_URL, or the embedded one, to this version's schema")
    .action(() => run("migrate"));
}
