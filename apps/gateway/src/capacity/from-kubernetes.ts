/**
 * Reads a Service's ready replicas from the Kubernetes API, and watches it so that a change is read at once rather than
 * at the next interval. The list is the only truth; an event of the watch says no more than "read again".
 */
import type { Clock, Timer } from "@obleth/clock";
import { request } from "undici";
import type { DiscoveryRecord } from "../policy-cache/records";
import { type EndpointSlice, readyReplicas, sliceList } from "./endpoint-slices";
import type { KubernetesAccess } from "./kubernetes-access";
import type { Reading } from "./pool-size";

export interface KubernetesSourceOptions {
  /** Made when first needed; throws a reason that may be shown. */
  readonly access: () => KubernetesAccess;
  /** Namespaces that may be read; empty allows any. */
  readonly namespaces: readonly string[];
  readonly clock: Clock;
  /** Something changed behind a Service. */
  readonly onChange: (service: string) => void;
}

/** Longest wait for one page of a list. */
const DEADLINE_MS = 10_000;
/** What Kubernetes' own clients ask for at once. */
const PAGE_SIZE = 500;
/** Far beyond any Service; bounds a list that never ends. */
const MAX_PAGES = 100;
/** Events of one change come in bursts. */
const SETTLE_MS = 200;
/** Pause after a watch that failed: an API server that is down gets no more than a call in this time. */
const WATCH_RETRY_MS = 5_000;
/** The server ends a watch after this; it is then begun anew. */
const WATCH_SECS = 300;

interface Watch {
  readonly stop: AbortController;
  settling: Timer | undefined;
}

export class KubernetesSource {
  readonly #options: KubernetesSourceOptions;
  readonly #watches = new Map<string, Watch>();
  #access: KubernetesAccess | undefined;
  #isClosed = false;

  constructor(options: KubernetesSourceOptions) {
    this.#options = options;
  }

  /** @throws a reason that may be shown. */
  async read(discovery: DiscoveryRecord): Promise<Reading> {
    const service = discovery.kubernetes;
    if (service === null) throw new Error("no Service is configured");
    const { namespaces } = this.#options;
    if (namespaces.length > 0 && !namespaces.includes(service.namespace)) {
      throw new Error(`OBLETH_CAPACITY_DISCOVERY_NAMESPACES does not allow the namespace ${service.namespace}`);
    }
    const { slices, version } = await this.#list(service);
    this.#watch(service, version);
    const replicas = readyReplicas(slices, service.port);
    return { readyReplicas: replicas, readyCapacity: replicas * (discovery.perReplicaMaxInFlight ?? 0) };
  }

  /** Ends the watches of Services that no model names any more. */
  retain(services: ReadonlySet<string>): void {
    for (const [name, watch] of this.#watches) {
      if (services.has(name)) continue;
      this.#watches.delete(name);
      watch.settling?.cancel();
      watch.stop.abort();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.retain(new Set());
    await this.#access?.dispatcher.destroy();
  }

  async #list(service: Service): Promise<{ slices: EndpointSlice[]; version: string }> {
    const slices: EndpointSlice[] = [];
    let next: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const query = new URLSearchParams({
        limit: String(PAGE_SIZE),
        ...(next === undefined ? {} : { continue: next }),
      });
      const answer = await this.#get(service, query, AbortSignal.timeout(DEADLINE_MS));
      const text = await answer.body.text();
      if (answer.statusCode !== 200) throw new Error(refusalOf(answer.statusCode, service));
      const list = sliceList.safeParse(parsedJson(text));
      if (!list.success) throw new Error("the Kubernetes API's answer is not a list of EndpointSlices");
      slices.push(...list.data.items);
      next = list.data.metadata.continue ?? undefined;
      if (next === undefined || next === "") return { slices, version: list.data.metadata.resourceVersion ?? "" };
    }
    throw new Error("the Service has more EndpointSlices than can be read");
  }

  #watch(service: Service, version: string): void {
    const name = serviceName(service);
    if (this.#watches.has(name) || this.#isClosed) return;
    const watch: Watch = { stop: new AbortController(), settling: undefined };
    this.#watches.set(name, watch);
    void this.#follow(service, version, watch).then(() => {
      // Ended by the server or broken: the next reading lists and begins another.
      if (this.#watches.get(name) !== watch) return;
      watch.settling = this.#options.clock.setTimer(WATCH_RETRY_MS, () => {
        this.#watches.delete(name);
        this.#options.onChange(name);
      });
    });
  }

  /** Resolves when the watch is over, for whatever reason. */
  async #follow(service: Service, version: string, watch: Watch): Promise<void> {
    try {
      const query = new URLSearchParams({
        watch: "true",
        resourceVersion: version,
        timeoutSeconds: String(WATCH_SECS),
      });
      const answer = await this.#get(service, query, watch.stop.signal);
      if (answer.statusCode !== 200) {
        await answer.body.dump();
        return;
      }
      for await (const _event of answer.body) {
        watch.settling ??= this.#options.clock.setTimer(SETTLE_MS, () => {
          watch.settling = undefined;
          this.#options.onChange(serviceName(service));
        });
      }
    } catch {
      // The connection broke or was ended; the reading at the interval goes on.
    }
  }

  async #get(service: Service, query: URLSearchParams, signal: AbortSignal) {
    this.#access ??= this.#options.access();
    const { server, dispatcher, headers } = this.#access;
    query.set("labelSelector", `kubernetes.io/service-name=${service.service}`);
    const namespace = encodeURIComponent(service.namespace);
    const path = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices?${query}`;
    try {
      return await request(`${server}${path}`, {
        dispatcher,
        headers: { accept: "application/json", ...headers() },
        signal,
        bodyTimeout: (WATCH_SECS + 30) * 1000,
      });
    } catch (error) {
      const code = error instanceof Error && "code" in error ? String(error.code) : "";
      throw new Error(`the Kubernetes API does not answer${code === "" ? "" : ` (${code})`}`, { cause: error });
    }
  }
}

type Service = NonNullable<DiscoveryRecord["kubernetes"]>;

/** `namespace/service`. */
export function serviceName({ namespace, service }: Service): string {
  return `${namespace}/${service}`;
}

function refusalOf(status: number, { namespace }: Service): string {
  if (status === 401) return "the Kubernetes API did not accept the credential";
  if (status === 403) return `the service account may not list EndpointSlices in the namespace ${namespace}`;
  return `the Kubernetes API answered ${status}`;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
