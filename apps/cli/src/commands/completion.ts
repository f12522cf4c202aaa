/** `obleth completion`: scripts that make a shell complete commands and options. */
import { Argument, type Command } from "commander";
import type { Session } from "../session";

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

/** A command by the words that lead to it, and what may stand next. */
export interface Place {
  /** Empty for the program itself. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly about: string }[];
  readonly options: readonly { readonly name: string; readonly about: string; readonly takesValue: boolean }[];
}

export function addCompletion(program: Command, session: Session): void {
  program
    .command("completion")
    .description("print a completion script for a shell")
    .addArgument(new Argument("<shell>", "which shell").choices([...SHELLS]))
    .addHelpText("after", HOW_TO)
    .action((shell: Shell) => session.terminal.print(completionScript(shell, placesOf(program))));
}

const HOW_TO = `
bash:  eval "$(obleth completion bash)"            in ~/.bashrc
zsh:   eval "$(obleth completion zsh)"             in ~/.zshrc, after compinit
fish:  obleth completion fish | source             in ~/.config/fish/config.fish`;

export function placesOf(program: Command): Place[] {
  const globals = optionsOf(program);
  const walk = (command: Command, path: readonly string[]): Place[] => [
    {
      path: path.join(" "),
      commands: command.commands.map((one) => ({ name: one.name(), about: one.description() })),
      options: command === program ? globals : [...optionsOf(command), ...globals],
    },
    ...command.commands.flatMap((one) => walk(one, [...path, one.name()])),
  ];
  return walk(program, []);
}

function optionsOf(command: Command): Place["options"] {
  return command
    .createHelp()
    .visibleOptions(command)
    .flatMap((option) =>
      option.long ? [{ name: option.long, about: option.description, takesValue: option.required }] : [],
    );
}

export function completionScript(shell: Shell, places: readonly Place[]): string {
  switch (shell) {
    case "bash":
      return bashScript(places);
    case "zsh":
      return `autoload -Uz bashcompinit && bashcompinit\n${bashScript(places)}`;
    case "fish":
      return fishScript(places);
  }
}

/** Finds the longest known path in the words before the cursor, stepping over options; then offers what may follow. */
function bashScript(places: readonly Place[]): string {
  const cases = places.map(({ path, commands, options }) => {
    const words = [...commands.map(({ name }) => name), ...options.map(({ name }) => name)];
    return `    ${quoted(path)}) words=${quoted([...new Set(words)].join(" "))} ;;`;
  });
  const paths = places.map(({ path }) => quoted(path)).join("|");
  return `_obleth() {
  local current="\${COMP_WORDS[COMP_CWORD]}" place="" next word words i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    next="\${place:+$place }$word"
    case "$next" in
      ${paths}) place="$next" ;;
    esac
  done
  case "$place" in
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ \${#COMPREPLY[@]} -gt 0 ]] || COMPREPLY=($(compgen -f -- "$current"))
}
complete -F _obleth obleth`;
}

function fishScript(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, commands, options }) => {
    const here = `-n ${quoted(`__obleth_at ${quoted(path)}`)}`;
    return [
      ...commands.map(({ name, about }) => `complete -c obleth -f ${here} -a ${name} -d ${quoted(about)}`),
      ...options.map(
        ({ name, about, takesValue }) =>
          `complete -c obleth ${here} -l ${name.slice(2)}${takesValue ? " -r" : ""} -d ${quoted(about)}`,
      ),
    ];
  });
  const paths = places.map(({ path }) => quoted(path)).join(" ");
  return `function __obleth_at
  set -l place ""
  for word in (commandline -opc)[2..]
    set -l next (string trim -- "$place $word")
    contains -- "$next" ${paths}; and set place "$next"
  end
  test "$place" = "$argv[1]"
end
${lines.join("\n")}`;
}

/** In single quotes, which end at the next single quote in each of these shells. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
