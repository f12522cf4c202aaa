"use client";

import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useMemo } from "react";
import type { Sorting } from "./object-table";

/** A table's sort in the address; the default is left out of it. */
export function useSorting(fallback: Sorting): [Sorting, (sorting: Sorting) => void] {
  const [params, setParams] = useQueryStates({
    sort: parseAsString.withOptions({ history: "replace" }),
    dir: parseAsStringLiteral(["asc", "desc"]).withOptions({ history: "replace" }),
  });
  const key = params.sort ?? fallback.key;
  const direction = params.dir ?? (key === fallback.key ? fallback.direction : "desc");
  const sorting = useMemo(() => ({ key, direction }), [key, direction]);
  return [
    sorting,
    (next) =>
      void setParams(
        next.key === fallback.key && next.direction === fallback.direction
          ? { sort: null, dir: null }
          : { sort: next.key, dir: next.direction },
      ),
  ];
}
