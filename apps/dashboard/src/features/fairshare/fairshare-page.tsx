"use client";

import { useQueryState } from "nuqs";
import { PoolDetail } from "./pool-detail";
import { PoolList } from "./pool-list";
import { poolParams } from "./search-params";

/** The pools, or one of them where the address names it. */
export function FairsharePage() {
  const [pool] = useQueryState("pool", poolParams.pool);
  return pool === null ? <PoolList /> : <PoolDetail key={pool} name={pool} />;
}
