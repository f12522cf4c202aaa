/** A full-screen view: draws pictures over each other, listens for keys, and leaves the terminal as it was. */
import { cut } from "../output/plain-text";

export interface Screen {
  draw(lines: readonly string[]): void;
  /** Settles when the person leaves, by q, Escape, Ctrl-C or a signal. */
  readonly left: Promise<void>;
  readonly width: number;
  close(): void;
}

const ENTER = "\u001b[?1049h\u001b[?25l";
const LEAVE = "\u001b[?25h\u001b[?1049l";
const HOME = "\u001b[H";
const REST_OF_LINE = "\u001b[K";
const REST_OF_SCREEN = "\u001b[J";
const LEAVING_KEYS = new Set(["q", "Q", "\u0003", "\u0004", "\u001b"]);
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export function openScreen({ stdin, stdout }: { stdin: NodeJS.ReadStream; stdout: NodeJS.WriteStream }): Screen {
  let shown: readonly string[] = [];
  let leave = () => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const draw = (lines: readonly string[]) => {
    shown = lines;
    const fitting = lines.slice(0, Math.max(1, stdout.rows - 1)).map((line) => cut(line, stdout.columns));
    stdout.write(HOME + fitting.map((line) => `${line}${REST_OF_LINE}\r\n`).join("") + REST_OF_SCREEN);
  };
  const redraw = () => draw(shown);
  const onKeys = (keys: Buffer | string) => {
    if (LEAVING_KEYS.has(String(keys))) leave();
  };
  stdout.write(ENTER);
  stdout.on("resize", redraw);
  for (const signal of SIGNALS) process.on(signal, leave);
  if (stdin.isTTY) {
    stdin.setRawMode(true);
    stdin.on("data", onKeys);
    stdin.resume();
  }
  return {
    draw,
    left,
    get width() {
      return stdout.columns;
    },
    close: () => {
      stdout.off("resize", redraw);
      for (const signal of SIGNALS) process.off(signal, leave);
      if (stdin.isTTY) {
        stdin.off("data", onKeys);
        stdin.setRawMode(false);
        stdin.pause();
      }
      stdout.write(LEAVE);
    },
  };
}
