/** Prints how many milliseconds a preview of group weights over 200 pools takes, and one of a tenant's weight in a pool. */
import { previewChanges } from "@obleth/fairshare/preview";
import { previewInput } from "../src/lib/preview-input";
import { fixtureLive, summaryOf } from "./live-fixture";

const ROUNDS = 200;
const live = fixtureLive({ pools: 200, tenants: 2000, seed: 3 }, 0);
const summary = summaryOf(live);
const pool = live.pools.find((one) => (one.tenants?.length ?? 0) > 1 && one.queued > 0);
const tenant = pool?.tenants?.[0];
if (pool === undefined || tenant === undefined) throw new Error("no busy pool in the fixture");

const groups = measure((round) => {
  previewChanges(previewInput(summary, { changes: [{ kind: "group_weight", id: "chat", value: 400 + round }] }));
});
const one = measure((round) => {
  const changes = [{ kind: "tenant_weight" as const, id: tenant.tenant_id, value: 100 + round }];
  previewChanges(previewInput({ ...live, pools: [pool] }, { changes, pool: pool.model }));
});
console.log(JSON.stringify({ groups, tenant: one }));

/** The median of many rounds: single ones wait for other programs on a busy machine. */
function measure(run: (round: number) => void): number {
  const times = Array.from({ length: ROUNDS }, (_, round) => {
    const begun = performance.now();
    run(round);
    return performance.now() - begun;
  });
  return times.sort((a, b) => a - b)[ROUNDS / 2] ?? Number.NaN;
}
