/** A three-node Redis Cluster, and a primary with a replica under Sentinel, for tests of those arrangements. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { eventually, freePort, startRedis, type TestRedis } from "./redis-server";

const SLOTS = 16_384;

export interface TestCluster {
  readonly nodes: readonly TestRedis[];
  readonly url: string;
  /** Moves the hash slot that a key lies in, with all its keys, to another node. */
  moveSlotOf(key: string): Promise<void>;
  close(): Promise<void>;
}

/** Three primaries with a third of the slots each, without replicas. */
export async function startRedisCluster(): Promise<TestCluster> {
  const nodes: (TestRedis & { readonly busPort: number })[] = [];
  for (let i = 0; i < 3; i++) nodes.push(await startClusterNode());
  const clients = nodes.map((node) => new Redis(node.url));
  const size = Math.ceil(SLOTS / nodes.length);
  for (const [i, client] of clients.entries()) {
    const last = Math.min(SLOTS - 1, (i + 1) * size - 1);
    await client.call("CLUSTER", "ADDSLOTSRANGE", i * size, last);
    await client.call("CLUSTER", "SET-CONFIG-EPOCH", i + 1);
  }
  const [first] = clients;
  for (const node of nodes.slice(1)) await first?.call("CLUSTER", "MEET", "127.0.0.1", node.port, node.busPort);
  for (const client of clients) {
    await eventually(
      "the cluster is whole",
      async () => String(await client.call("CLUSTER", "INFO")).includes("cluster_state:ok"),
      20_000,
    );
    client.disconnect();
  }
  return {
    nodes,
    url: nodes[0]?.url ?? "",
    moveSlotOf: (key) => moveSlot(nodes, key),
    close: async () => {
      await Promise.all(nodes.map((node) => node.kill()));
    },
  };
}

async function moveSlot(nodes: readonly TestRedis[], key: string): Promise<void> {
  const clients = nodes.map((node) => new Redis(node.url));
  const ids = await Promise.all(clients.map((client) => client.call("CLUSTER", "MYID")));
  const slot = Number(await clients[0]?.call("CLUSTER", "KEYSLOT", key));
  const from = Math.floor(slot / Math.ceil(SLOTS / nodes.length));
  const to = (from + 1) % nodes.length;
  const [source, target, port] = [clients[from], clients[to], nodes[to]?.port];
  if (source === undefined || target === undefined || port === undefined) throw new Error("no such node");
  await target.call("CLUSTER", "SETSLOT", slot, "IMPORTING", String(ids[from]));
  await source.call("CLUSTER", "SETSLOT", slot, "MIGRATING", String(ids[to]));
  for (;;) {
    const keys = await source.call("CLUSTER", "GETKEYSINSLOT", slot, 100);
    if (!Array.isArray(keys) || keys.length === 0) break;
    await source.call("MIGRATE", "127.0.0.1", port, "", 0, 5000, "REPLACE", "KEYS", ...keys.map(String));
  }
  for (const client of [target, source]) await client.call("CLUSTER", "SETSLOT", slot, "NODE", String(ids[to]));
  for (const client of clients) client.disconnect();
}

async function startClusterNode(): Promise<TestRedis & { readonly busPort: number }> {
  const busPort = await freePort();
  const args = ["--cluster-enabled", "yes", "--cluster-node-timeout", "2000", "--cluster-port", String(busPort)];
  return { ...(await startRedis({ args })), busPort };
}

export interface TestSentinel {
  readonly sentinelPort: number;
  readonly name: string;
  readonly primary: TestRedis;
  readonly replica: TestRedis;
  close(): Promise<void>;
}

/** One Sentinel that fails over to the replica half a second after the primary falls silent. */
export async function startSentinel(): Promise<TestSentinel> {
  const primary = await startRedis();
  const replica = await startRedis({ args: ["--replicaof", "127.0.0.1", String(primary.port)] });
  const client = new Redis(replica.url);
  await eventually("the replica follows", async () =>
    (await client.info("replication")).includes("master_link_status:up"),
  );
  client.disconnect();
  const name = "obleth-test";
  const file = join(mkdtempSync(join(tmpdir(), "obleth-sentinel-")), "sentinel.conf");
  writeFileSync(
    file,
    [
      `sentinel monitor ${name} 127.0.0.1 ${primary.port} 1`,
      `sentinel down-after-milliseconds ${name} 500`,
      `sentinel failover-timeout ${name} 3000`,
    ].join("\n"),
  );
  const sentinel = await startRedis({ configFile: file, args: ["--sentinel"] });
  const watch = new Redis(sentinel.url);
  await eventually(
    "Sentinel knows the replica",
    async () => {
      const replicas = await watch.call("SENTINEL", "REPLICAS", name);
      return Array.isArray(replicas) && replicas.length === 1;
    },
    20_000,
  );
  watch.disconnect();
  return {
    sentinelPort: sentinel.port,
    name,
    primary,
    replica,
    close: async () => {
      await Promise.all([primary, replica, sentinel].map((server) => server.kill()));
    },
  };
}
