/**
 * Redis as an operator may have it: one server, one with a replica and a Sentinel that fails over to it, or a Cluster of
 * three of which the one with the books has a replica. Gateways reach the first two through wires that a test can cut.
 */
import { freePorts } from "./free-ports";
import { RedisProcess } from "./redis-process";
import { Wire } from "./wire";

export type ArrangementName = "single" | "sentinel" | "cluster";

const SLOTS = 16_384;
/** Of the Cluster's nodes, for a dead one to be noticed, ms. */
const NODE_TIMEOUT_MS = 1000;
const READY_MS = 20_000;

export class RedisArrangement {
  private constructor(
    /** Has the books at first. */
    readonly redis: RedisProcess,
    /** Between the gateways and that one. Nothing passes it in a Cluster, whose nodes say themselves where they are. */
    readonly wire: Wire,
    /** How keys begin. */
    readonly prefix: string,
    private readonly rest: {
      readonly replica?: RedisProcess;
      readonly sentinel?: RedisProcess;
      readonly nodes?: RedisProcess[];
    },
  ) {}

  /** `env`: of the server with the books, where there is one. */
  static async start(name: ArrangementName, env: Readonly<Record<string, string>> = {}): Promise<RedisArrangement> {
    if (name === "cluster") return RedisArrangement.#startCluster();
    const redis = await RedisProcess.startIn(env);
    const wire = await Wire.to({ host: "127.0.0.1", port: redis.port });
    if (name === "single") return new RedisArrangement(redis, wire, "obleth", {});
    const replica = await RedisProcess.start("--replicaof", "127.0.0.1", String(redis.port));
    const sentinel = await RedisProcess.startSentinel(wire.port);
    return new RedisArrangement(redis, wire, "obleth", { replica, sentinel });
  }

  static async #startCluster(): Promise<RedisArrangement> {
    const nodes: ClusterNode[] = [];
    for (let i = 0; i < 3; i++) nodes.push(await startNode());
    const [first] = nodes as [ClusterNode];
    const slot = Number(await first.redis.command("CLUSTER", "KEYSLOT", "{obleth}"));
    for (const [i, { redis }] of nodes.entries()) {
      const range = [Math.ceil((i * SLOTS) / 3), Math.ceil(((i + 1) * SLOTS) / 3) - 1] as const;
      await redis.command("CLUSTER", "ADDSLOTSRANGE", ...range.map(String));
      await redis.command("CLUSTER", "SET-CONFIG-EPOCH", String(i + 1));
    }
    const owner = nodes[Math.floor((slot * 3) / SLOTS)] ?? first;
    const follower = await startNode();
    const everyone = [...nodes, follower];
    for (const { redis, busPort } of everyone.slice(1)) {
      await first.redis.command("CLUSTER", "MEET", "127.0.0.1", String(redis.port), String(busPort));
    }
    const name = String(await owner.redis.command("CLUSTER", "MYID"));
    await untilSays(follower.redis, ["CLUSTER", "NODES"], name);
    await follower.redis.command("CLUSTER", "REPLICATE", name);
    await Promise.all(everyone.map(({ redis }) => untilWhole(redis)));
    await untilSays(follower.redis, ["INFO", "replication"], "master_link_status:up");
    const others = nodes.filter((node) => node !== owner).map(({ redis }) => redis);
    const wire = await Wire.to({ host: "127.0.0.1", port: others[0]?.port ?? 0 });
    return new RedisArrangement(owner.redis, wire, "{obleth}", { replica: follower.redis, nodes: others });
  }

  /** Takes over when `redis` dies. */
  get replica(): RedisProcess {
    if (this.rest.replica === undefined) throw new Error("this arrangement has no replica");
    return this.rest.replica;
  }

  get sentinel(): RedisProcess {
    if (this.rest.sentinel === undefined) throw new Error("this arrangement has no Sentinel");
    return this.rest.sentinel;
  }

  /** A gateway's own wire, before the one that all share. */
  async ownWire(): Promise<Wire> {
    const port = this.rest.sentinel?.port ?? this.wire.port;
    return Wire.to({ host: "127.0.0.1", port });
  }

  /** Settings of a gateway that asks at this port. */
  settings(port: number): Record<string, string> {
    const address = `127.0.0.1:${port}`;
    if (this.rest.sentinel !== undefined) {
      return { OBLETH_REDIS_SENTINELS: address, OBLETH_REDIS_SENTINEL_NAME: "mymaster" };
    }
    return { OBLETH_REDIS_URL: `redis://${address}`, OBLETH_REDIS_CLUSTER: String(this.rest.nodes !== undefined) };
  }

  async stop(): Promise<void> {
    this.wire.close();
    const { replica, sentinel, nodes = [] } = this.rest;
    await Promise.all([this.redis, replica, sentinel, ...nodes].map((one) => one?.stop()));
  }
}

interface ClusterNode {
  readonly redis: RedisProcess;
  readonly busPort: number;
}

async function startNode(): Promise<ClusterNode> {
  const [busPort = 0] = await freePorts(1);
  const timeout = ["--cluster-node-timeout", String(NODE_TIMEOUT_MS)];
  const redis = await RedisProcess.start("--cluster-enabled", "yes", "--cluster-port", String(busPort), ...timeout);
  return { redis, busPort };
}

async function untilWhole(node: RedisProcess): Promise<void> {
  await untilSays(node, ["CLUSTER", "INFO"], "cluster_state:ok");
  await untilSays(node, ["CLUSTER", "INFO"], "cluster_known_nodes:4");
}

async function untilSays(server: RedisProcess, command: readonly string[], words: string): Promise<void> {
  const deadline = Date.now() + READY_MS;
  while (!(await server.report(...command)).includes(words)) {
    if (Date.now() > deadline) throw new Error(`${command.join(" ")} did not come to say ${words}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
