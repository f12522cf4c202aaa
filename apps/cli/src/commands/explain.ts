/** `obleth explain`: why a tenant waits, in the words the dashboard uses, and what can be done about it. */
import type { Explanation } from "@obleth/contract";
import { counted, formatCount, formatDuration, formatPlace, reasonLabel } from "@obleth/fairshare/words";
import type { Command } from "commander";
import { visible } from "../output/plain-text";
import { tenantId } from "../resources/find";
import type { Session } from "../session";

export function addExplain(program: Command, session: Session): void {
  program
    .command("explain")
    .description("say why tenants wait in a pool, and what can be done")
    .argument("<pool>", "a model's name, or (unrouted)")
    .argument("[tenant]", "one tenant, by name or id; every waiting one when left out")
    .action(async (pool: string, tenant: string | undefined) => {
      const only = tenant === undefined ? {} : { tenant_id: await tenantId(session, tenant) };
      const { data } = await session.api.call("explainFairshare", { query: { pool, ...only } });
      session.show(data, () => {
        if (data.explanations.length === 0) return [visible(`Nobody waits on ${data.pool}.`)];
        return data.explanations.flatMap((one, i) => (i === 0 ? [] : [""]).concat(explanationLines(one)));
      });
    });
}

export function explanationLines(one: Explanation): string[] {
  const lines = [
    `${one.name}: ${reasonLabel(one.reason)}`,
    `  ${one.text}`,
    ...one.notes.map(({ text }) => `  ${text}`),
    ...(one.breakdown_text === null ? [] : [`  ${one.breakdown_text}`]),
    ...placeLine(one),
    ...one.holders.map(({ name, slots_above: above }) => `  ${name} has ${counted(above, "slot")} above its share.`),
    ...(one.actions.length === 0 ? [] : ["  What can be done:"]),
    ...one.actions.map(({ label, method, path }) =>
      method === null || path === null ? `    ${label}` : `    ${label}  (${method} ${path})`,
    ),
  ];
  return lines.map(visible);
}

function placeLine(one: Explanation): string[] {
  const parts = [
    one.position === null ? null : `${formatPlace(one.position)} among the waiting tenants`,
    one.ahead === null || one.ahead === 0 ? null : `about ${formatCount(one.ahead)} requests go first`,
    one.estimated_wait_ms === null ? null : `about ${formatDuration(one.estimated_wait_ms)} to wait`,
  ].filter((part) => part !== null);
  const [first, ...rest] = parts;
  return first === undefined ? [] : [`  ${[first.charAt(0).toUpperCase() + first.slice(1), ...rest].join(", ")}.`];
}
