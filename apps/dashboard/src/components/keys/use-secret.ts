"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

interface WithSecret {
  readonly data: { readonly secret: string; readonly key: { readonly name: string } };
}

/** Asks for a secret and keeps the answer out of every cache: in this state until it is dropped. */
export function useSecret() {
  const client = useQueryClient();
  const [shown, setShown] = useState<{ keyName: string; secret: string } | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isPending, setIsPending] = useState(false);
  const ask = async (send: () => Promise<WithSecret>) => {
    setIsPending(true);
    setError(null);
    try {
      const { data } = await send();
      setShown({ keyName: data.key.name, secret: data.secret });
      await client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "live" });
    } catch (failure) {
      setError(failure);
    }
    setIsPending(false);
  };
  return {
    shown,
    error,
    isPending,
    ask: (send: () => Promise<WithSecret>) => void ask(send),
  };
}
