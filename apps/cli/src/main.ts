import { processEnvironment } from "./environment";
import { processTerminal } from "./output/terminal";
import { runProgram } from "./program";

// A reader that has seen enough, such as `head`, is no fault.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

process.exitCode = await runProgram(process.argv.slice(2), {
  environment: processEnvironment(),
  terminal: processTerminal(),
});
