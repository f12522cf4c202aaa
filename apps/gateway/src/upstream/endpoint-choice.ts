/**
 * Which of a model's endpoints a request tries first, second and so on. Pure: what is known of each endpoint goes in, an
 * order comes out.
 */
import type { EndpointRecord, ModelRecord } from "../policy-cache/records";

export interface Candidate {
  readonly record: EndpointRecord;
  readonly inFlight: number;
  readonly isAvailable: boolean;
}

export interface ChoiceContext {
  readonly selection: ModelRecord["endpointSelection"];
  readonly session: string | null;
  /** In [0, 1); settles ties. */
  readonly random: () => number;
}

/** The candidates in the order to try them: available ones first, the rest after, so that a request is never refused
 * only because every endpoint is under suspicion. O(n log n) for n endpoints. */
export function orderCandidates<T extends Candidate>(candidates: readonly T[], context: ChoiceContext): T[] {
  if (candidates.length < 2) return [...candidates];
  const ranked = candidates.map((candidate, index) => ({ candidate, rank: rankOf(candidate, index, context) }));
  ranked.sort((a, b) => Number(b.candidate.isAvailable) - Number(a.candidate.isAvailable) || a.rank - b.rank);
  return ranked.map(({ candidate }) => candidate);
}

/** Lower is tried sooner. */
function rankOf({ record, inFlight }: Candidate, index: number, { selection, session, random }: ChoiceContext): number {
  if (selection === "failover") return index;
  const weight = Math.max(record.weight, Number.MIN_VALUE);
  if (selection === "session_hash" && session !== null) return rendezvousRank(session, record.id, weight);
  return (inFlight + 1 + random() * TIE_SPREAD) / weight;
}

/** Small against one request, so it only decides between equals. */
const TIE_SPREAD = 0.01;

/**
 * Weighted rendezvous hashing (Thaler and Ravishankar; weights by -w / ln h): each session has its own order of endpoints,
 * an endpoint's share follows its weight, and losing one moves only its own sessions.
 */
function rendezvousRank(session: string, endpointId: string, weight: number): number {
  return -Math.log(unitHash(`${endpointId}\u0000${session}`)) / weight;
}

/** FNV-1a over UTF-16 units, finished as in MurmurHash3; in (0, 1). */
function unitHash(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (((hash ^ (hash >>> 16)) >>> 0) + 0.5) / 0x1_0000_0000;
}
