/** `obleth export`: everything configured, as a file that `obleth apply` takes back. */
import { chmodSync, writeFileSync } from "node:fs";
import type { Command } from "commander";
import { stringify } from "yaml";
import { CommandError } from "../failure";
import { visible, visibleJson } from "../output/plain-text";
import type { Session } from "../session";

export function addExport(program: Command, session: Session): void {
  program
    .command("export")
    .description("write the whole configuration as YAML, or as JSON with --json; secrets only as hashes or sealed")
    .option("-o, --output <file>", "a file of its own, readable by its owner only")
    .action(async ({ output }: { output?: string }) => {
      const { data } = await session.api.call("exportConfig", {});
      const text = session.isJson ? `${visibleJson(data)}\n` : configurationText(data);
      if (output === undefined) {
        session.terminal.print(text.replace(/\n$/, ""));
        return;
      }
      try {
        writeFileSync(output, text, { mode: 0o600 });
        chmodSync(output, 0o600);
      } catch (error) {
        throw new CommandError(`Cannot write ${output}: ${error instanceof Error ? error.message : String(error)}`);
      }
      session.terminal.remark(visible(`Wrote ${output}.`));
    });
}

/** YAML that reads back as the same data and moves no cursor where it is shown. */
export function configurationText(data: unknown): string {
  const text = stringify(data, { lineWidth: 0 });
  // Inside its double quotes YAML knows the same escapes as JSON; where a character stands bare, quote everything.
  const isSafe = !/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text);
  return isSafe ? text : `${visibleJson(data)}\n`;
}
