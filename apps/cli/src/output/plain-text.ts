/**
 * Text from elsewhere, made fit for a terminal. Names are chosen by tenants, so what could move the cursor, set a title
 * or turn the reading direction is shown as an escape. Widths are in terminal cells.
 */

/** Controls, invisible formatting, line separators and halves of characters; not the joiners that scripts need. */
const UNSAFE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const NO_WIDTH = /[\p{M}\u200c\u200d]/u;

/** One line, with nothing in it that a terminal would act on. */
export function visible(text: string): string {
  return text.replace(UNSAFE, (unsafe) => SHORT[unsafe] ?? `\\u{${unsafe.codePointAt(0)?.toString(16)}}`);
}

/** JSON that is also safe to look at: the same characters, as escapes that JSON itself reads back. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (unsafe) =>
    Array.from({ length: unsafe.length }, (_, i) => unsafe.charCodeAt(i))
      .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

/** Cells the text takes. */
export function widthOf(text: string): number {
  let cells = 0;
  for (const character of text) cells += cellsOf(character);
  return cells;
}

/** At most `cells` wide; an ellipsis stands for what is cut. */
export function cut(text: string, cells: number): string {
  if (widthOf(text) <= cells) return text;
  let kept = "";
  let used = 1;
  for (const character of text) {
    used += cellsOf(character);
    if (used > cells) break;
    kept += character;
  }
  return cells < 1 ? "" : `${kept}…`;
}

export function pad(text: string, cells: number, side: "left" | "right"): string {
  const space = " ".repeat(Math.max(0, cells - widthOf(text)));
  return side === "left" ? text + space : space + text;
}

function cellsOf(character: string): number {
  if (NO_WIDTH.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
