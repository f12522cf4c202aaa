/** Draws the affinity study as one SVG: a row for each measure, a column for each model server, a line for each setting. */
import { scaleLinear, scalePoint } from "d3-scale";
import { line } from "d3-shape";
import { CONTENTION, FAVOURS, SERVERS, type StudyPoint } from "../packages/fairshare/test/eval/affinity-study";

const PANEL = { width: 330, height: 150, left: 52, top: 64, gapX: 40, gapY: 46 };
/** Told apart without colour too: by dash and by the mark at each point. */
const LINES = {
  off: { color: "#6b7280", dash: "5 4", radius: 2.5 },
  defaults: { color: "#b45309", dash: "2 3", radius: 3.5 },
  "run through": { color: "#1d4ed8", dash: "", radius: 4.5 },
} as const satisfies Record<keyof typeof FAVOURS, unknown>;
const MEASURES = [
  { of: "p50Secs", title: "median step, s" },
  { of: "nextP95Secs", title: "p95 of steps after a session's first, s" },
  { of: "tokensPerSec", title: "answer tokens per second" },
  { of: "shotP95Secs", title: "another key's p95 wait, s" },
] as const;
const SERVER_TITLES = { roomy: "the cache holds all prompts", tight: "the cache is too small" } as const;

const servers = Object.keys(SERVERS) as (keyof typeof SERVERS)[];
const favours = Object.keys(FAVOURS) as (keyof typeof FAVOURS)[];

/** The picture as text; the same points give the same picture. */
export function affinityPlot(points: readonly StudyPoint[]): string {
  const width = PANEL.left + servers.length * (PANEL.width + PANEL.gapX);
  const height = PANEL.top + MEASURES.length * (PANEL.height + PANEL.gapY);
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="11" fill="#111827" role="img" aria-labelledby="title">`,
    `<title id="title">Session affinity: step latency, throughput and other keys' waits over contention</title>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...favours.flatMap((favour, i) => legend(favour, PANEL.left + 130 * i)),
    ...servers.map((server, column) => text([xOf(column), PANEL.top - 22], SERVER_TITLES[server], { weight: "bold" })),
    ...MEASURES.flatMap((measure, row) => {
      const most = Math.max(...points.map((point) => point.is[measure.of]));
      return servers.flatMap((server, column) =>
        panel(
          points.filter((point) => point.server === server),
          { ...measure, most, x: xOf(column), y: yOf(row) },
        ),
      );
    }),
    "</svg>",
  ];
  return `${parts.join("\n")}\n`;
}

interface Panel {
  readonly of: (typeof MEASURES)[number]["of"];
  readonly title: string;
  /** Largest value of the row, so that its panels compare. */
  readonly most: number;
  readonly x: number;
  readonly y: number;
}

function panel(points: readonly StudyPoint[], { of, title, most, x, y }: Panel): string[] {
  const across = scalePoint(Object.keys(CONTENTION), [x, x + PANEL.width]).padding(0.3);
  const up = scaleLinear([0, most], [y + PANEL.height, y]).nice(4);
  const place = (point: StudyPoint): [number, number] => [across(point.contention) ?? x, up(point.is[of])];
  const drawn = favours.flatMap((favour) => {
    const { color, dash, radius } = LINES[favour];
    const places = points.filter((point) => point.favour === favour).map(place);
    const path = line().digits(1)(places) ?? "";
    return [
      `<path class="${favour.replace(" ", "-")}" d="${path}" fill="none" stroke="${color}" stroke-width="1.75" stroke-dasharray="${dash}"/>`,
      ...places.map(([cx, cy]) => `<circle cx="${round(cx)}" cy="${round(cy)}" r="${radius}" fill="${color}"/>`),
    ];
  });
  const grid = up.ticks(4).flatMap((tick) => {
    const at = round(up(tick));
    return [
      `<line x1="${x}" x2="${x + PANEL.width}" y1="${at}" y2="${at}" stroke="#e5e7eb"/>`,
      text([x - 6, at + 4], String(tick), { anchor: "end" }),
    ];
  });
  const names = Object.entries(CONTENTION).map(([name, agents]) =>
    text([across(name) ?? x, y + PANEL.height + 15], `${name} (${agents} agents)`, { anchor: "middle" }),
  );
  return [text([x, y - 8], title), ...grid, ...names, ...drawn];
}

function legend(favour: keyof typeof FAVOURS, x: number): string[] {
  const { color, dash, radius } = LINES[favour];
  return [
    `<line x1="${x}" x2="${x + 30}" y1="16" y2="16" stroke="${color}" stroke-width="1.75" stroke-dasharray="${dash}"/>`,
    `<circle cx="${x + 15}" cy="16" r="${radius}" fill="${color}"/>`,
    text([x + 37, 20], favour),
  ];
}

function text(
  [x, y]: readonly [number, number],
  words: string,
  look: { weight?: string; anchor?: string } = {},
): string {
  const { weight = "normal", anchor = "start" } = look;
  return `<text x="${round(x)}" y="${round(y)}" font-weight="${weight}" text-anchor="${anchor}">${words}</text>`;
}

function xOf(column: number): number {
  return PANEL.left + column * (PANEL.width + PANEL.gapX);
}

function yOf(row: number): number {
  return PANEL.top + row * (PANEL.height + PANEL.gapY);
}

function round(value: number): number {
  return Math.round(10 * value) / 10;
}
