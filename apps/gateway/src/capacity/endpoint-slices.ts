/** Ready replicas of a Kubernetes Service from its EndpointSlices, as `discovery.k8s.io/v1` gives them. */
import { z } from "zod";

const conditions = z.object({
  ready: z.boolean().nullish(),
  serving: z.boolean().nullish(),
  terminating: z.boolean().nullish(),
});

const endpointSlice = z.object({
  ports: z.array(z.object({ name: z.string().nullish(), port: z.number().nullish() })).nullish(),
  endpoints: z
    .array(
      z.object({
        addresses: z.array(z.string()).nullish(),
        conditions: conditions.nullish(),
        targetRef: z.object({ uid: z.string().nullish() }).nullish(),
      }),
    )
    .nullish(),
});
export type EndpointSlice = z.infer<typeof endpointSlice>;

/** One page of a list. */
export const sliceList = z.object({
  metadata: z.object({ continue: z.string().nullish(), resourceVersion: z.string().nullish() }),
  items: z.array(endpointSlice),
});

/**
 * Replicas that are ready, serve, and are not on their way out. A missing `ready` counts as ready, a missing `serving`
 * follows it. A replica that stands in several slices (two address families, a slice being split) counts once. With a
 * port, by name or number, only slices that have it count.
 */
export function readyReplicas(slices: readonly EndpointSlice[], port?: number | string): number {
  const ready = new Set<string>();
  for (const slice of slices) {
    if (port !== undefined && !hasPort(slice, port)) continue;
    for (const { addresses, conditions: given, targetRef } of slice.endpoints ?? []) {
      const isReady = given?.ready ?? true;
      const isServing = given?.serving ?? isReady;
      if (!isReady || !isServing || given?.terminating === true) continue;
      const identity = targetRef?.uid ?? addresses?.[0];
      if (identity !== undefined) ready.add(identity);
    }
  }
  return ready.size;
}

function hasPort(slice: EndpointSlice, wanted: number | string): boolean {
  return (slice.ports ?? []).some(({ name, port }) => name === wanted || port === wanted);
}
