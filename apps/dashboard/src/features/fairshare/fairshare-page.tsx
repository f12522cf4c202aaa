"use client";

import dynamic from "next/dynamic";
import { useQueryState } from "nuqs";
import { poolParams } from "./search-params";

// A page that shows one of them does not load the other's code.
const PoolList = dynamic(() => import("./pool-list").then((module) => module.PoolList));
const PoolDetail = dynamic(() => import("./pool-detail").then((module) => module.PoolDetail));

/** The pools, or one of them where the address names it. */
export function FairsharePage() {
  const [pool] = useQueryState("pool", poolParams.pool);
  return pool === null ? <PoolList /> : <PoolDetail key={pool} name={pool} />;
}
