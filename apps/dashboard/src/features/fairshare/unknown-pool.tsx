"use client";

import Link from "next/link";
import { PageHeader } from "../../components/layout/page-header";
import { Button } from "../../components/ui/button";
import { Empty } from "../../components/ui/notice";
import { Panel } from "../../components/ui/panel";
import { useLiveSummary } from "../../queries/use-live";
import { nearestNames } from "./logic/nearest-names";
import { poolHref } from "./search-params";

/** No pool of that name: the nearest ones instead. */
export function UnknownPool({ name }: Readonly<{ name: string }>) {
  const pools = useLiveSummary()?.live.pools ?? [];
  const nearest = nearestNames(
    name,
    pools.map((pool) => pool.model),
  );
  return (
    <>
      <PageHeader title={name} answer="No pool has this name, or it went idle and was dropped." />
      <Panel label="No such pool">
        <Empty
          title="Nothing to show"
          action={
            <>
              {nearest.map((near) => (
                <Button key={near} asChild>
                  <Link href={poolHref(near)}>{near}</Link>
                </Button>
              ))}
              <Button asChild variant="primary">
                <Link href="/fairshare">All pools</Link>
              </Button>
            </>
          }
        >
          {nearest.length > 0 ? "Names like it:" : null}
        </Empty>
      </Panel>
    </>
  );
}
