import Link from "next/link";
import { Panel } from "../../components/ui/panel";
import { PoolBar } from "../../components/ui/pool-bar";
import { Value } from "../../components/ui/value";
import type { LivePool } from "../../queries/wire";

const SHOWN = 6;

/** Those with work, the fullest first; nothing before they are known. */
export function BusiestPools({ pools }: Readonly<{ pools: readonly LivePool[] | undefined }>) {
  const busy = pools?.filter((pool) => pool.capacity_state === "ok" && pool.in_flight + pool.held > 0).slice(0, SHOWN);
  return (
    <Panel
      title="Busiest pools"
      bodyClassName="p-0"
      actions={
        <Link className="link text-small" href="/fairshare">
          All pools
        </Link>
      }
    >
      {busy?.length === 0 ? <p className="px-4 py-6 text-small text-text-2">No pool has work.</p> : null}
      <ul className="divide-y">
        {busy?.map((pool) => (
          <li
            key={pool.model}
            className="grid min-h-(--row) grid-cols-[minmax(0,1fr)_minmax(5rem,35%)_8ch] items-center gap-3 px-4 text-small"
          >
            <Link
              className="name truncate font-medium hover:underline"
              href={`/fairshare?pool=${encodeURIComponent(pool.model)}`}
            >
              {pool.model}
            </Link>
            <PoolBar pool={pool} />
            <span className="num text-right">
              <Value field="in_use" value={pool.in_flight + pool.held} isExact />/
              <Value field="cap" value={pool.cap} isExact />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
