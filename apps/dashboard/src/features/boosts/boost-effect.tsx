"use client";

import { useQuery } from "@tanstack/react-query";
import { api } from "../../lib/api";
import type { Boost } from "../../queries/wire";
import { effectWords } from "./logic/boost-effect";

const INTERVAL_MS = 15_000;

/** What the boost gives at the moment and who pays: the split as it is against the one without it. */
export function BoostEffect({ boost }: Readonly<{ boost: Boost }>) {
  const { data } = useQuery({
    queryKey: ["preview", "boost", boost.id],
    queryFn: async ({ signal }) => {
      const change = { kind: "boost" as const, id: boost.tenant_id, value: 1 };
      const changes = [boost.model === null ? change : { ...change, model: boost.model }];
      return (await api.call("previewFairshare", { body: { changes } }, { signal })).data;
    },
    refetchInterval: INTERVAL_MS,
    retry: false,
  });
  return <span className="num text-text-2">{data === undefined ? "" : effectWords(data.pools, boost.tenant_id)}</span>;
}
