"use client";

import { useQuery } from "@tanstack/react-query";
import { KeyList } from "../../components/keys/key-list";
import { PageHeader } from "../../components/layout/page-header";
import { keysAnswer } from "../../lib/key-rows";
import { useNow } from "../../lib/use-now";
import { keysQuery } from "../../queries/keys";

/** Which keys are used, and which should go. */
export function KeysPage() {
  const { data } = useQuery(keysQuery(null));
  const nowMs = useNow(60_000);
  return (
    <>
      <PageHeader title="Keys" answer={data ? keysAnswer(data.items, nowMs) : ""} />
      <KeyList tenant={null} />
    </>
  );
}
