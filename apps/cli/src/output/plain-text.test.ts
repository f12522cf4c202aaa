import { describe, expect, it } from "vitest";
import { cut, pad, visible, visibleJson, widthOf } from "./plain-text";

/** What a terminal would act on, however it got into a name. */
const HOSTILE = [
  "\u001b[2J\u001b[H",
  "\u001b]0;owned\u0007",
  "\u009b31m",
  "\u0090q\u009c",
  "a\rb",
  "a\nb",
  "a\bb",
  "\u202eevil",
  "\u2066x\u2069",
  "\ufeffx",
  "\u{e0041}x",
  "\u007f",
  "\ud800x",
  "\u2028x",
];
const ACTED_ON = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

describe("visible text", () => {
  it.each(HOSTILE)("has nothing in it that a terminal acts on: %j", (name) => {
    expect(visible(name)).not.toMatch(ACTED_ON);
    expect(visible(name)).not.toBe(name);
  });

  it("says which character stood there", () => {
    expect(visible("a\u001b[31mb")).toBe("a\\u{1b}[31mb");
    expect(visible("a\nb\tc")).toBe("a\\nb\\tc");
    expect(visible("\u202eevil")).toBe("\\u{202e}evil");
  });

  it("leaves the scripts of the world as they are", () => {
    for (const name of ["llama-3:8b", "שלום", "می‌خواهم", "日本語", "क्षि", "<img src=x>", "=1+1", "👩‍💻"]) {
      expect(visible(name)).toBe(name);
    }
  });
});

describe("visible JSON", () => {
  it.each(HOSTILE)("reads back as the same value and shows none of it raw: %j", (name) => {
    const text = visibleJson({ [name]: name });
    expect(JSON.parse(text)).toEqual({ [name]: name });
    expect(text.replaceAll("\n", "")).not.toMatch(ACTED_ON);
  });
});

describe("width", () => {
  it("counts cells: two for wide characters, none for marks", () => {
    expect(widthOf("abc")).toBe(3);
    expect(widthOf("日本")).toBe(4);
    expect(widthOf("e\u0301")).toBe(1);
    expect(widthOf("🚀")).toBe(2);
  });

  it("is never passed by cutting, and nothing is cut that fits", () => {
    for (const text of ["abcdefgh", "日本語日本語", "a日b本c", "🚀🚀🚀"]) {
      for (let cells = 1; cells <= 12; cells++) {
        const short = cut(text, cells);
        expect(widthOf(short)).toBeLessThanOrEqual(cells);
        expect(short === text).toBe(widthOf(text) <= cells);
      }
    }
  });

  it("is filled up on the side asked for", () => {
    expect(pad("日", 4, "left")).toBe("日  ");
    expect(pad("7", 3, "right")).toBe("  7");
  });
});
