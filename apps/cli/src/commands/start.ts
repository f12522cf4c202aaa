/** `obleth start`: hands over to the launcher of the checkout. */
import path from "node:path";
import type { Command } from "commander";
import { CommandError } from "../failure";
import { checkout } from "../places";
import { runNode } from "../run-node";

interface Options {
  readonly demo?: boolean;
  readonly empty?: boolean;
  readonly dev?: boolean;
}

export function addStart(program: Command, session: { exitCode: number }): void {
  program
    .command("start")
    .description("start a gateway, its database and the dashboard on this machine")
    .option("--demo", "with traffic from simulated tenants")
    .option("--empty", "without sample data on a first run")
    .option("--dev", "from source, restarting on change")
    .action(async (options: Options) => {
      const root = checkout();
      if (root === null) {
        const hint =
          "Clone the repository and run `npm start` there, or use the container image, compose file or Helm chart.";
        throw new CommandError("There is no checkout of obleth around this program to start.", { hint });
      }
      const flags = (["demo", "empty", "dev"] as const).filter((flag) => options[flag] === true);
      const args = [path.join(root, "scripts/start.mjs"), ...flags.map((flag) => `--${flag}`)];
      session.exitCode = await runNode(args, root);
    });
}
