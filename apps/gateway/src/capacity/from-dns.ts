import { Resolver } from "node:dns/promises";
import type { DiscoveryRecord } from "../policy-cache/records";
import type { Reading } from "./pool-size";

/** The name servers in use answer within this or are asked again at the next reading. */
const TIMEOUT_MS = 2_000;

export interface NameServers {
  readonly resolve4: (name: string) => Promise<string[]>;
  readonly resolve6: (name: string) => Promise<string[]>;
  readonly resolveSrv: (name: string) => Promise<{ readonly name: string; readonly port: number }[]>;
}

export function systemNameServers(): NameServers {
  return new Resolver({ timeout: TIMEOUT_MS, tries: 2 });
}

/**
 * The addresses behind a headless service's name, each a replica; with SRV, each target and port. A name without
 * records is a service without ready replicas.
 * @throws when the name servers cannot be asked.
 */
export async function readDns(discovery: DiscoveryRecord, servers: NameServers): Promise<Reading> {
  const { dns, perReplicaMaxInFlight } = discovery;
  if (dns === null) throw new Error("no name is configured");
  const found =
    dns.type === "SRV"
      ? (await orNone(servers.resolveSrv(dns.name))).map(({ name, port }) => `${name}:${port}`)
      : await addressesOf(dns.name, servers);
  const readyReplicas = new Set(found).size;
  return { readyReplicas, readyCapacity: readyReplicas * (perReplicaMaxInFlight ?? 0) };
}

/** A service with both families has each replica twice, so the family that lists more counts. */
async function addressesOf(name: string, servers: NameServers): Promise<string[]> {
  const [v4, v6] = await Promise.all([orNone(servers.resolve4(name)), orNone(servers.resolve6(name))]);
  return v4.length >= v6.length ? v4 : v6;
}

async function orNone<Record>(asked: Promise<Record[]>): Promise<Record[]> {
  try {
    return await asked;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOTFOUND" || code === "ENODATA") return [];
    throw error;
  }
}
