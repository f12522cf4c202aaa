"use client";

import type { Answered } from "@obleth/contract/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { api, errorMessage, isStaleEdit } from "../../lib/api";
import { plural } from "../../lib/format";
import { useSave } from "../../lib/use-save";
import { groupsQuery } from "../../queries/objects";
import type { Group } from "../../queries/wire";
import { begunVersions, changedSince, type Versions } from "./logic/begun-versions";
import { changedWeights, type GroupRow } from "./logic/group-rows";

type Drafts = ReadonlyMap<string, string>;

interface GroupSaveInput {
  groups: readonly Group[];
  rows: readonly GroupRow[];
  drafts: Drafts;
  onDrafts: (drafts: Drafts) => void;
}

/** Saves all draft weights in one change, or none; a group that somebody else changed meanwhile is asked about. */
export function useGroupSave({ groups, rows, drafts, onDrafts }: GroupSaveInput) {
  const [begun, setBegun] = useState<Versions>(new Map());
  const mutation = useSave<Answered<{ groups: Group[] }>>();
  const client = useQueryClient();
  const latest = useRef(drafts);
  latest.current = drafts;
  const { refetch } = useQuery(groupsQuery());
  const isStale = isStaleEdit(mutation.error);
  useEffect(() => {
    setBegun((before) => begunVersions(before, { groups, drafted: new Set(drafts.keys()) }));
  }, [groups, drafts]);
  useEffect(() => {
    if (isStale) void refetch();
  }, [isStale, refetch]);
  const run = (from: Versions) => {
    const weights = changedWeights(rows);
    const sent = drafts;
    const versions = Object.fromEntries([...from].filter(([name]) => Object.hasOwn(weights, name)));
    mutation.mutate({
      done: savedWords(rows),
      send: () => api.call("setGroupWeights", { body: { weights, versions } }),
      onSaved: ({ data }) => {
        client.setQueryData(
          groupsQuery().queryKey,
          (before) => before && { ...before, items: renewed(before.items, data.groups) },
        );
        setBegun((before) => new Map([...before, ...data.groups.map(({ name, version }) => [name, version] as const)]));
        // What was typed while it was on its way stays a draft, of what is saved now.
        onDrafts(new Map([...latest.current].filter(([name, weight]) => sent.get(name) !== weight)));
      },
    });
  };
  const conflicts = isStale ? changedSince(begun, groups) : [];
  const settle = (name: string) => {
    const now = groups.find((group) => group.name === name)?.version;
    const settled = new Map(begun);
    if (now !== undefined) settled.set(name, now);
    setBegun(settled);
    return { settled, isLast: conflicts.length <= 1 };
  };
  return {
    isPending: mutation.isPending,
    configVersion: mutation.data?.configVersion ?? null,
    /** Groups to be asked about. */
    conflicts,
    problem: mutation.error && !isStale ? errorMessage(mutation.error) : null,
    save: () => run(begun),
    /** Of one group; what is drafted for others stays. */
    keepTheirs: (name: string) => {
      if (settle(name).isLast) mutation.reset();
      onDrafts(new Map([...drafts].filter(([drafted]) => drafted !== name)));
    },
    /** Of one group; once no other is to be asked about, all is saved. */
    applyMine: (name: string) => {
      const { settled, isLast } = settle(name);
      if (isLast) run(settled);
    },
  };
}

/** With the versions that a save gave them, before they are read again: the next draft begins on those. */
function renewed(groups: readonly Group[], saved: readonly Group[]): Group[] {
  const byName = new Map(saved.map((group) => [group.name, group]));
  return groups.map((group) => byName.get(group.name) ?? group);
}

function savedWords(rows: readonly GroupRow[]): string {
  const changed = rows.filter((row) => row.isChanged);
  const [only] = changed;
  return changed.length === 1 && only
    ? `${only.name} weight ${only.weight} to ${only.draft}`
    : `${plural(changed.length, "group weight")} changed`;
}
