import { readFileSync } from "node:fs";
import {
  type Color,
  differenceCiede2000,
  filterDeficiencyDeuter,
  filterDeficiencyProt,
  filterDeficiencyTrit,
  formatHex,
  parse,
  wcagContrast,
} from "culori";
import { describe, expect, it } from "vitest";

const css = readFileSync(new URL("./tokens.css", import.meta.url), "utf8");
const themes = { light: tokensOf(":root"), dark: { ...tokensOf(":root"), ...tokensOf(".dark") } };

const TEXT = ["text", "text-2", "text-3", "focus"];
const STATES = ["urgent", "watch", "open", "below", "idle"];
const GROUPS = ["group-1", "group-2", "group-3", "group-4", "group-5", "group-6", "group-other"];
const same = (color: string) => color;
const VISIONS = {
  normal: same,
  protan: seen(filterDeficiencyProt(1)),
  deutan: seen(filterDeficiencyDeuter(1)),
  tritan: seen(filterDeficiencyTrit(1)),
};
const MIN_TEXT = 4.5;
const MIN_GRAPHIC = 3;
/** CIEDE2000 from which two marks are told apart at a glance. */
const MIN_DIFFERENCE = 15;

describe.each(Object.entries(themes))("the %s palette", (_, theme) => {
  const color = (name: string) => theme[name] ?? "";

  it.each(["card", "subtle"])("reads as text and state on %s", (surface) => {
    const low = [...TEXT, ...STATES].filter((name) => wcagContrast(color(name), color(surface)) < MIN_TEXT);
    expect(low).toEqual([]);
  });

  it.each(["card", "subtle"])("shows edges and groups on %s", (surface) => {
    const low = [...GROUPS, "edge"].filter((name) => wcagContrast(color(name), color(surface)) < MIN_GRAPHIC);
    expect(low).toEqual([]);
  });

  it("gives the page's own background the contrast of a card", () => {
    expect(TEXT.filter((name) => wcagContrast(color(name), color("bg")) < MIN_TEXT)).toEqual([]);
  });

  it.each(Object.entries(VISIONS))("keeps states apart in %s vision", (_name, see) => {
    expect(tooClose(STATES, (name) => see(color(name)))).toEqual([]);
  });

  it.each(Object.entries(VISIONS))("keeps groups apart in %s vision", (_name, see) => {
    expect(tooClose(GROUPS, (name) => see(color(name)))).toEqual([]);
  });
});

function tooClose(names: readonly string[], colorOf: (name: string) => string): string[] {
  const difference = differenceCiede2000();
  return names.flatMap((a, index) =>
    names
      .slice(index + 1)
      .filter((b) => difference(colorOf(a), colorOf(b)) < MIN_DIFFERENCE)
      .map((b) => `${a} and ${b}: ${difference(colorOf(a), colorOf(b)).toFixed(1)}`),
  );
}

function seen(filter: (color: Color) => Color): (color: string) => string {
  return (text) => {
    const color = parse(text);
    return color === undefined ? text : formatHex(filter(color));
  };
}

/** Custom properties of one rule that hold a colour. */
function tokensOf(selector: string): Record<string, string> {
  const start = css.indexOf(`${selector} {`);
  const block = css.slice(start, css.indexOf("}", start));
  return Object.fromEntries(
    [...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, value]) => [name ?? "", value ?? ""]),
  );
}
