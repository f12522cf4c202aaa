/** What every command works with: its connection, made when first needed, and its output. */
import type { ApiClient } from "@obleth/contract/client";
import type { Command } from "commander";
import { type Connection, connect } from "./connection";
import type { Environment } from "./environment";
import type { CallPlace } from "./failure";
import { visibleJson } from "./output/plain-text";
import type { Terminal } from "./output/terminal";

export interface GlobalOptions {
  readonly url?: string;
  readonly token?: string;
  readonly json?: boolean;
}

export class Session {
  /** What the program ends with; a command that runs another program passes its code on. */
  exitCode = 0;
  #options: GlobalOptions = {};
  #connection: Connection | null = null;

  constructor(
    readonly environment: Environment,
    readonly terminal: Terminal,
  ) {}

  /** Takes the options that hold for every command. */
  begin(command: Command): void {
    this.#options = command.optsWithGlobals<GlobalOptions>();
  }

  get isJson(): boolean {
    return this.#options.json === true;
  }

  get api(): ApiClient {
    this.#connection ??= connect(this.#options, this.environment);
    return this.#connection.api;
  }

  /** Null before anything was asked of a gateway. */
  get place(): CallPlace | null {
    return this.#connection;
  }

  /** The result: as JSON when asked for, else as lines for a person. */
  show(data: unknown, lines: () => readonly string[]): void {
    if (this.isJson) this.terminal.print(visibleJson(data));
    else this.terminal.print(...lines());
  }
}
