import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { VirtualClock } from "@obleth/clock";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { DiscoveryRecord } from "../policy-cache/records";
import { type EndpointSlice, readyReplicas } from "./endpoint-slices";
import { KubernetesSource } from "./from-kubernetes";
import { kubernetesAccess } from "./kubernetes-access";

const pod = (uid: string, conditions: object = { ready: true }, address = `10.0.0.${uid}`) => ({
  addresses: [address],
  conditions,
  targetRef: { uid },
});
const slice = (endpoints: object[], ports: object[] = [{ name: "http", port: 8000 }]) =>
  ({ endpoints, ports }) as EndpointSlice;

describe("ready replicas of a Service", () => {
  it.each([
    [{ ready: true }, 1],
    [{ ready: false }, 0],
    [{}, 1],
    [{ ready: true, serving: true, terminating: false }, 1],
    [{ ready: true, serving: false }, 0],
    [{ ready: true, terminating: true }, 0],
    [{ ready: false, serving: true, terminating: true }, 0],
    [{ ready: null, serving: null, terminating: null }, 1],
  ])("with the conditions %j count as %d", (conditions, count) => {
    expect(readyReplicas([slice([pod("1", conditions)])])).toBe(count);
  });

  it("count once over slices and address families, by pod or else by address", () => {
    const slices = [
      slice([pod("1"), pod("2")]),
      slice([pod("1", { ready: true }, "fd00::1"), { addresses: ["10.9.9.9"], conditions: { ready: true } }]),
      slice([{ addresses: ["10.9.9.9"], conditions: { ready: true } }]),
      { endpoints: null, ports: null } as EndpointSlice,
    ];
    expect(readyReplicas(slices)).toBe(3);
  });

  it("count only where the wanted port is, by name or number", () => {
    const slices = [slice([pod("1")]), slice([pod("2")], [{ name: "metrics", port: 9090 }]), slice([pod("3")], [])];
    expect([readyReplicas(slices, "http"), readyReplicas(slices, 9090), readyReplicas(slices)]).toEqual([1, 1, 3]);
  });
});

/** An API server that speaks what the real one speaks: lists in pages, watches that stay open, refusals. */
class StubApi {
  readonly seen: IncomingMessage[] = [];
  readonly watches: ServerResponse[] = [];
  pages: object[][] = [[slice([pod("1"), pod("2")])]];
  status = 200;
  readonly server: Server = createServer((request, response) => this.#answer(request, response));

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get lists(): IncomingMessage[] {
    return this.seen.filter((request) => !request.url?.includes("watch=true"));
  }

  event(): void {
    for (const watch of this.watches) watch.write(`${JSON.stringify({ type: "MODIFIED", object: {} })}\n`);
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    this.seen.push(request);
    const query = new URL(request.url ?? "", "http://x").searchParams;
    if (this.status !== 200) return void response.writeHead(this.status).end('{"message":"canary"}');
    if (query.get("watch") === "true") {
      response.writeHead(200);
      response.flushHeaders();
      this.watches.push(response);
      return;
    }
    const page = Number(query.get("continue") ?? 0);
    const metadata = { resourceVersion: "7", continue: page + 1 < this.pages.length ? String(page + 1) : "" };
    response.end(JSON.stringify({ kind: "EndpointSliceList", metadata, items: this.pages[page] }));
  }
}

describe("reading from the Kubernetes API", () => {
  const discovery: DiscoveryRecord = {
    source: "kubernetes",
    perReplicaMaxInFlight: 8,
    headroom: 1,
    kubernetes: { namespace: "models", service: "vllm" },
    dns: null,
  };
  let folder: string;
  let api: StubApi;
  let clock: VirtualClock;
  let changes: string[];
  let source: KubernetesSource;

  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), "obleth-kubernetes-"));
    api = new StubApi();
    api.server.listen(0, "127.0.0.1");
    await once(api.server, "listening");
    clock = new VirtualClock();
    changes = [];
    source = make();
  });

  afterEach(async () => {
    await source.close();
    api.server.closeAllConnections();
    api.server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function make(namespaces: string[] = []): KubernetesSource {
    const kubeconfig = path.join(folder, "config");
    writeFileSync(path.join(folder, "token"), "first-token\n");
    writeFileSync(
      kubeconfig,
      `apiVersion: v1
current-context: here
contexts: [{name: here, context: {cluster: ours, user: me}}]
clusters: [{name: ours, cluster: {server: "${api.url}/"}}]
users: [{name: me, user: {tokenFile: token}}]
`,
    );
    return new KubernetesSource({
      access: () => kubernetesAccess({ kubeconfig, podApi: null }),
      namespaces,
      clock,
      onChange: (service) => changes.push(service),
    });
  }

  const until = async (isDone: () => boolean) => {
    const deadline = performance.now() + 5_000;
    while (!isDone()) {
      if (performance.now() > deadline) throw new Error("the condition did not come true");
      await new Promise((resolve) => setImmediate(resolve));
    }
  };

  it("asks for the Service's slices with its credential, and follows pages", async () => {
    api.pages = [[slice([pod("1")])], [slice([pod("2"), pod("3", { ready: false })])], [slice([pod("1"), pod("4")])]];
    expect(await source.read(discovery)).toEqual({ readyReplicas: 3, readyCapacity: 24 });
    const [first] = api.lists;
    expect(api.lists).toHaveLength(3);
    expect(first?.url).toContain("/apis/discovery.k8s.io/v1/namespaces/models/endpointslices?");
    expect(first?.url).toContain("labelSelector=kubernetes.io%2Fservice-name%3Dvllm");
    expect(first?.headers.authorization).toBe("Bearer first-token");
  });

  it("uses a token that was replaced while the process runs", async () => {
    await source.read(discovery);
    writeFileSync(path.join(folder, "token"), "second-token");
    await source.read(discovery);
    expect(api.lists.at(-1)?.headers.authorization).toBe("Bearer second-token");
  });

  it("watches from where the list ended, and asks for one reading after a burst of events", async () => {
    await source.read(discovery);
    await until(() => api.watches.length === 1);
    expect(api.seen.at(-1)?.url).toContain("resourceVersion=7");
    for (let i = 0; i < 5; i++) api.event();
    await until(() => clock.advanceToNext());
    expect(changes).toEqual(["models/vllm"]);
    await source.read(discovery);
    expect(api.watches).toHaveLength(1);
  });

  it("begins another watch after one that ended", async () => {
    await source.read(discovery);
    await until(() => api.watches.length === 1);
    api.watches[0]?.end();
    await until(() => clock.advanceToNext());
    expect(changes).toEqual(["models/vllm"]);
    await source.read(discovery);
    await until(() => api.watches.length === 2);
  });

  it("ends the watch of a Service that no model names any more", async () => {
    await source.read(discovery);
    await until(() => api.watches.length === 1);
    const closed = once(api.watches[0] as ServerResponse, "close");
    source.retain(new Set());
    await closed;
  });

  it.each([
    [401, "the Kubernetes API did not accept the credential"],
    [403, "the service account may not list EndpointSlices in the namespace models"],
    [500, "the Kubernetes API answered 500"],
  ])("says what a %d means", async (status, words) => {
    api.status = status;
    await expect(source.read(discovery)).rejects.toThrow(words);
  });

  it("says that the API does not answer, or answers something else", async () => {
    api.pages = [[{ endpoints: "nonsense" }]];
    await expect(source.read(discovery)).rejects.toThrow("not a list of EndpointSlices");
    api.server.closeAllConnections();
    api.server.close();
    await expect(source.read(discovery)).rejects.toThrow(/^the Kubernetes API does not answer/);
  });

  it("refuses a namespace that is not allowed", async () => {
    const limited = make(["other"]);
    await expect(limited.read(discovery)).rejects.toThrow(/does not allow the namespace models/);
    expect(api.seen).toHaveLength(0);
    await limited.close();
  });

  it("says what is missing outside a pod and in a broken kubeconfig", () => {
    expect(() => kubernetesAccess({ kubeconfig: null, podApi: null })).toThrow(/OBLETH_KUBECONFIG is not set/);
    expect(() => kubernetesAccess({ kubeconfig: path.join(folder, "none"), podApi: null })).toThrow(/cannot be read/);
    writeFileSync(path.join(folder, "config"), "current-context: nowhere\n");
    expect(() => kubernetesAccess({ kubeconfig: path.join(folder, "config"), podApi: null })).toThrow(
      /no current context/,
    );
    const podApi = { host: "10.0.0.1", port: "443" };
    expect(() => kubernetesAccess({ kubeconfig: null, podApi, serviceAccountDir: folder })).toThrow(
      /certificate cannot be read/,
    );
    writeFileSync(path.join(folder, "ca.crt"), "certificate");
    expect(kubernetesAccess({ kubeconfig: null, podApi, serviceAccountDir: folder }).server).toBe(
      "https://10.0.0.1:443",
    );
  });
});
