"use client";

import { useQuery } from "@tanstack/react-query";
import { Badge } from "../../components/ui/badge";
import { Failure } from "../../components/ui/failure";
import { Panel } from "../../components/ui/panel";
import { Skeleton } from "../../components/ui/skeleton";
import { Cell, HeadCell, Table, TableFrame } from "../../components/ui/table";
import { formatCount, formatDayTime, formatDuration, formatExact } from "../../lib/format";
import { usePreferences } from "../../lib/preferences";
import { clusterQuery } from "../../queries/objects";
import type { Cluster, ClusterReplica } from "../../queries/wire";
import { CeilingPanel } from "./ceiling-panel";
import { clusterAnswer, isBlind, isLate } from "./logic/cluster-words";

const INTERVAL_MS = 2000;

/** Whether all gateways live, limits are shared, and the stores are well. */
export function ClusterTab() {
  const { data, error, refetch } = useQuery(clusterQuery(INTERVAL_MS));
  if (error && !data) return <Failure what="Cannot read the cluster" error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton className="h-64" />;
  return (
    <div className="space-y-4">
      <p className="num text-small text-text-2" data-testid="cluster-answer">
        {clusterAnswer(data)}
      </p>
      <ReplicaTable cluster={data} />
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-3">
        <RedisPanel cluster={data} />
        <PostgresPanel cluster={data} />
        <CeilingPanel />
      </div>
      <ModeTimeline cluster={data} />
    </div>
  );
}

function ReplicaTable({ cluster }: Readonly<{ cluster: Cluster }>) {
  const { clock } = usePreferences();
  return (
    <Panel title="Gateways" bodyClassName="p-0">
      <TableFrame>
        <Table aria-label="Gateways" isStacked>
          <thead>
            <tr>
              <HeadCell>Gateway</HeadCell>
              <HeadCell>Heartbeat</HeadCell>
              <HeadCell>Mode</HeadCell>
              <HeadCell>Version</HeadCell>
              <HeadCell>Started</HeadCell>
              <HeadCell isNumber>Running</HeadCell>
              <HeadCell isNumber>Waiting</HeadCell>
              <HeadCell isNumber>On its books</HeadCell>
              <HeadCell isNumber>Configuration</HeadCell>
            </tr>
          </thead>
          <tbody>
            {cluster.replicas.map((replica) => (
              <tr key={replica.instance} data-replica={replica.instance} className="border-b last:border-b-0">
                <th scope="row" className="h-(--row) px-3 pl-4 text-left font-medium">
                  <span className="name font-mono text-micro">{replica.instance}</span>
                  {replica.self ? <span className="ml-2 text-micro font-normal text-text-3">answered</span> : null}
                </th>
                <Cell label="Heartbeat" stack="wide">
                  <Heartbeat replica={replica} isBlind={isBlind(cluster)} />
                </Cell>
                <Cell label="Mode">{replica.mode ?? "-"}</Cell>
                <Cell label="Version" className="name">
                  {replica.version ?? "-"}
                </Cell>
                <Cell label="Started" stack="wide" className="num whitespace-nowrap">
                  {replica.started_ts_ms === null ? "-" : formatDayTime(replica.started_ts_ms, clock)}
                </Cell>
                <Cell isNumber label="Running">
                  {formatExact(replica.in_flight)}
                </Cell>
                <Cell isNumber label="Waiting">
                  {formatCount(replica.queued)}
                </Cell>
                <Cell isNumber label="On its books">
                  {formatExact(replica.booked_slots)}
                </Cell>
                <Cell isNumber label="Configuration">
                  {formatExact(replica.config_version)}
                  {replica.config_version !== null && replica.config_version < cluster.config_version ? (
                    <span className="text-text-3"> of {cluster.config_version}</span>
                  ) : null}
                </Cell>
              </tr>
            ))}
          </tbody>
        </Table>
      </TableFrame>
    </Panel>
  );
}

function Heartbeat({ replica, isBlind }: Readonly<{ replica: ClusterReplica; isBlind: boolean }>) {
  const age = replica.heartbeat_age_ms;
  if (isBlind) {
    const seen = age === null ? "" : `, last ${formatDuration(age)} ago`;
    return <span className="num text-text-3">{replica.self ? "alive: it answered" : `cannot be seen${seen}`}</span>;
  }
  if (age === null) return <span className="text-text-3">alone, none needed</span>;
  const leftMs = replica.ttl_ms - age;
  if (isLate(replica)) {
    return (
      <span className="flex items-center gap-2 whitespace-nowrap">
        <Badge shape="triangle" tone="watch">
          {formatDuration(age)} ago
        </Badge>
        <span className="text-micro text-text-2">
          {leftMs > 0 ? `its slots come back in ${formatDuration(leftMs)}` : "its slots are back"}
        </span>
      </span>
    );
  }
  return <span className="num text-text-2">{formatDuration(age)} ago</span>;
}

function RedisPanel({ cluster }: Readonly<{ cluster: Cluster }>) {
  const { clock } = usePreferences();
  const { redis } = cluster;
  if (redis === null) {
    return (
      <Panel title="Redis">
        <p className="text-small text-text-2">
          Not configured: one gateway needs none. Set OBLETH_REDIS_URL to run several.
        </p>
      </Panel>
    );
  }
  const rows = [
    ["Reachable", redis.reachable ? "yes" : "no"],
    ["Slot call, half under", formatDuration(redis.call_p50_ms)],
    ["Slot call, 99 % under", `${formatDuration(redis.call_p99_ms)} of ${formatDuration(redis.response_timeout_ms)}`],
    ["Errors a minute", formatCount(redis.errors_per_min)],
    ["Last reconciled", redis.last_reconcile_ts_ms === null ? "-" : formatDayTime(redis.last_reconcile_ts_ms, clock)],
    ["Eviction policy", redis.eviction_policy ?? "-"],
  ] as const;
  return (
    <Panel title="Redis">
      <FactList rows={rows} />
      {redis.eviction_policy !== null && redis.eviction_policy !== "noeviction" ? (
        <p className="mt-3 text-small">This policy may drop slots; set noeviction.</p>
      ) : null}
    </Panel>
  );
}

function PostgresPanel({ cluster }: Readonly<{ cluster: Cluster }>) {
  const { postgres } = cluster;
  return (
    <Panel title="Postgres">
      <FactList
        rows={[
          ["Reachable", postgres.reachable ? "yes" : "no"],
          ["Version", postgres.version ?? "-"],
          ["Runs", postgres.embedded ? "embedded, beside the gateway" : "elsewhere"],
          ["A call takes", formatDuration(postgres.call_ms)],
        ]}
      />
    </Panel>
  );
}

function FactList({ rows }: Readonly<{ rows: readonly (readonly [string, string])[] }>) {
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5 text-small">
      {rows.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-text-2">{name}</dt>
          <dd className="name num text-right">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function ModeTimeline({ cluster }: Readonly<{ cluster: Cluster }>) {
  const { clock } = usePreferences();
  const changes = [...cluster.mode_changes].reverse().slice(0, 10);
  return (
    <Panel title="How limits were held">
      <ol className="space-y-1 text-small">
        {changes.map((change) => (
          <li key={change.ts_ms} className="num flex gap-4">
            <time className="shrink-0 text-text-3" dateTime={new Date(change.ts_ms).toISOString()}>
              {formatDayTime(change.ts_ms, clock)}
            </time>
            {MODE_WORDS[change.mode]}
          </li>
        ))}
        {changes.length === 0 ? <li className="text-text-2">{MODE_WORDS[cluster.mode]}, since the start.</li> : null}
      </ol>
    </Panel>
  );
}

const MODE_WORDS: Readonly<Record<Cluster["mode"], string>> = {
  local: "local: limits hold on each gateway",
  shared: "shared: limits hold over all gateways",
  fallback: "fallback: Redis away, each gateway holds its part",
  split: "split: each gateway holds its part",
};
