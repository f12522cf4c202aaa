/**
 * Who sends what in the demo: a pool that is full with two unequal tenants, a pool shared by two groups, one where a team
 * bursts into slots another leaves idle, and one that is nearly quiet.
 */

export interface DemoModel {
  readonly name: string;
  readonly type: "chat" | "embedding";
  readonly slots: number;
}

export interface DemoTenant {
  readonly name: string;
  readonly group: string;
  readonly weight: number;
}

/** Closed-loop clients: each sends, waits for the whole answer, thinks, and sends again. */
export interface Traffic {
  readonly tenant: string;
  readonly model: string;
  readonly clients: number;
  readonly promptTokens: number;
  readonly answerTokens: number;
  /** Mean pause between an answer and the next request. */
  readonly thinkMs: number;
  /** Sends for `onSecs` of every `everySecs`; always when absent. */
  readonly burst?: { readonly onSecs: number; readonly everySecs: number };
  /** Each client keeps one growing conversation for so many steps before it starts another. */
  readonly sessionSteps?: number;
}

export const GROUPS: Readonly<Record<string, number>> = { product: 300, research: 100 };

export const MODELS: readonly DemoModel[] = [
  { name: "sim-code", type: "chat", slots: 12 },
  { name: "sim-large", type: "chat", slots: 4 },
  { name: "sim-embed", type: "embedding", slots: 32 },
];

/** Beside the two tenants that a first run makes. */
export const TENANTS: readonly DemoTenant[] = [
  { name: "code-assist", group: "product", weight: 300 },
  { name: "support-desk", group: "product", weight: 200 },
  { name: "nightly-eval", group: "research", weight: 100 },
  { name: "notebooks", group: "research", weight: 150 },
];

/** The sample model is named by the first run; `SAMPLE` stands for it. */
export const SAMPLE = "(sample)";

export const TRAFFIC: readonly Traffic[] = [
  { tenant: "chatbot", model: SAMPLE, clients: 12, promptTokens: 400, answerTokens: 150, thinkMs: 200 },
  { tenant: "api-batch", model: SAMPLE, clients: 8, promptTokens: 900, answerTokens: 150, thinkMs: 0 },
  {
    tenant: "code-assist",
    model: "sim-code",
    clients: 6,
    promptTokens: 1500,
    answerTokens: 60,
    thinkMs: 900,
    sessionSteps: 12,
  },
  {
    tenant: "nightly-eval",
    model: "sim-code",
    clients: 14,
    promptTokens: 600,
    answerTokens: 200,
    thinkMs: 0,
    burst: { onSecs: 40, everySecs: 75 },
  },
  { tenant: "support-desk", model: "sim-large", clients: 3, promptTokens: 800, answerTokens: 220, thinkMs: 1500 },
  { tenant: "notebooks", model: "sim-large", clients: 4, promptTokens: 2500, answerTokens: 300, thinkMs: 3000 },
  { tenant: "notebooks", model: "sim-embed", clients: 5, promptTokens: 700, answerTokens: 0, thinkMs: 600 },
  { tenant: "support-desk", model: "sim-embed", clients: 2, promptTokens: 200, answerTokens: 0, thinkMs: 1500 },
];
