/** Seeds that once showed a fault. They run first, in every run; the named unit test of each fault says what it was. */
export const ONCE_FAILED: readonly { readonly seed: number; readonly was: string }[] = [
  { seed: 265, was: "an arrival that lifted its tenant's cap started before that tenant's older requests" },
  { seed: 284, was: "the same, for a key" },
  { seed: 51, was: "a request refused for a full queue lifted its tenant" },
  { seed: 61, was: "a group kept an old score when a tenant brought it waiting requests" },
  { seed: 70, was: "the same, under the hierarchical algorithm" },
  { seed: 699, was: "the model noticed too late that a pool had nobody left to admit (the model's fault)" },
  { seed: 5063551, was: "a tenant brought the mark of its share from another group, so its new one overlooked it" },
  { seed: 5074972, was: "the same, among tenants that are all under their share" },
];
