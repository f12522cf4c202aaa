"use client";

import type { PreviewChange } from "@obleth/fairshare/preview";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api } from "../lib/api";
import type { PreviewAnswer } from "./wire";

const QUIET_MS = 200;

/** The gateway's preview of the changes over every pool, asked once the typing has stopped. */
export function useServerPreview(changes: readonly PreviewChange[], assume: "active" | "all" = "active") {
  const key = JSON.stringify(changes);
  const [settled, setSettled] = useState("[]");
  useEffect(() => {
    const timer = setTimeout(() => setSettled(key), QUIET_MS);
    return () => clearTimeout(timer);
  }, [key]);
  return useQuery({
    queryKey: ["preview", assume, settled],
    queryFn: async ({ signal }): Promise<PreviewAnswer> => {
      const body = { changes: JSON.parse(settled) as PreviewChange[], assume };
      return (await api.call("previewFairshare", { body: body as never }, { signal })).data;
    },
    enabled: changes.length > 0 && settled === key,
    staleTime: 5000,
    gcTime: 30_000,
  });
}
