/** The command line as a whole: its commands, its help, and how it ends. */
import { Command, CommanderError } from "commander";
import { addApply } from "./commands/apply";
import { addCompletion } from "./commands/completion";
import { addExplain } from "./commands/explain";
import { addExport } from "./commands/export";
import { addGatewayTasks } from "./commands/gateway-tasks";
import { addPreview } from "./commands/preview";
import { addResource } from "./commands/resource";
import { addStart } from "./commands/start";
import { addTop } from "./commands/top";
import { addUsers } from "./commands/users";
import type { Environment } from "./environment";
import { EXIT, type Failure, failureOf } from "./failure";
import { visible, visibleJson } from "./output/plain-text";
import type { Terminal } from "./output/terminal";
import { RESOURCES } from "./resources/resources";
import { Session } from "./session";
import { programVersion } from "./version";

const EXIT_CODES = `
Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 the gateway cannot be reached, 4 conflict with another change.`;

export function makeProgram(session: Session): Command {
  const program = new Command("obleth")
    .description("Runs and manages an obleth gateway.")
    .version(programVersion(), "-V, --version", "print the version")
    .option("--url <address>", "the gateway's management listener (OBLETH_MANAGEMENT_URL)")
    .option("--token <token>", "its admin token; OBLETH_ADMIN_TOKEN keeps it out of the process list")
    .option("--json", "print JSON, errors too")
    .helpOption("-h, --help", "print what a command takes")
    .showSuggestionAfterError()
    .addHelpText("after", EXIT_CODES)
    .hook("preAction", (_program, command) => session.begin(command));
  addStart(program, session);
  addGatewayTasks(program, session);
  addTop(program, session);
  addExplain(program, session);
  addPreview(program, session);
  for (const resource of RESOURCES) addResource(program, session, resource);
  addUsers(program, session);
  addApply(program, session);
  addExport(program, session);
  addCompletion(program, session);
  return program;
}

/** Runs one command line; returns the exit code and never throws. */
export async function runProgram(
  args: readonly string[],
  given: { environment: Environment; terminal: Terminal },
): Promise<number> {
  const { terminal } = given;
  const session = new Session(given.environment, terminal);
  const program = makeProgram(session);
  for (const command of everyCommand(program)) {
    command.exitOverride().configureOutput({
      writeOut: (text) => terminal.print(text.replace(/\n$/, "")),
      // Help for somebody who named no command; messages are written below.
      writeErr: (text) => terminal.remark(text.replace(/\n$/, "")),
      outputError: () => {},
    });
  }
  try {
    await program.parseAsync(args, { from: "user" });
    return session.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return endOfParsing(error, terminal, args.includes("--json"));
    const failure = failureOf(error, session.place);
    report(failure, terminal, session.isJson || args.includes("--json"));
    return failure.exitCode;
  }
}

function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

function endOfParsing(error: CommanderError, terminal: Terminal, isJson: boolean): number {
  if (error.exitCode === 0) return EXIT.ok;
  if (error.code === "commander.help") return EXIT.usage;
  const message = error.message.replace(/^error: /, "");
  const hint = "obleth --help lists the commands, obleth <command> --help what one takes.";
  const failure = { exitCode: EXIT.usage, message, hint, code: "usage", field: null, requestId: null };
  report(failure, terminal, isJson);
  return EXIT.usage;
}

function report(failure: Failure, terminal: Terminal, isJson: boolean): void {
  const { message, hint, code, field, requestId } = failure;
  if (isJson) {
    terminal.remark(visibleJson({ error: { code, message, hint, field, request_id: requestId } }));
    return;
  }
  terminal.remark(...message.split("\n").map((line, i) => `${i === 0 ? "obleth: " : "  "}${visible(line)}`));
  if (hint !== null) terminal.remark(visible(hint));
  if (requestId !== null && code === "internal_error")
    terminal.remark(`The gateway's log has it as ${visible(requestId)}.`);
}
