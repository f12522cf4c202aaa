/**
 * How to reach a Kubernetes API: the service account of the pod this runs in, or a kubeconfig file. A pod's token is
 * read for every request, because it is replaced while the process runs.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { Agent } from "undici";
import { parse } from "yaml";

export interface KubernetesAccess {
  /** Without a trailing slash. */
  readonly server: string;
  readonly dispatcher: Agent;
  /** Headers that carry the credential at this moment. */
  headers(): Record<string, string>;
}

export interface KubernetesPlace {
  /** A kubeconfig file; null: the pod's service account. */
  readonly kubeconfig: string | null;
  /** `KUBERNETES_SERVICE_HOST` and `_PORT`, which a pod has; null outside one. */
  readonly podApi: { readonly host: string; readonly port: string } | null;
  /** Where a pod finds its service account; replaced in tests. */
  readonly serviceAccountDir?: string;
}

const SERVICE_ACCOUNT_DIR = "/var/run/secrets/kubernetes.io/serviceaccount";
/** Longest wait for a connection to the API server, which is in the same cluster. */
const CONNECT_MS = 5_000;

/** @throws with a reason that may be shown. */
export function kubernetesAccess(place: KubernetesPlace): KubernetesAccess {
  if (place.kubeconfig !== null) return fromKubeconfig(place.kubeconfig);
  if (place.podApi === null) throw new Error("not in a Kubernetes pod, and OBLETH_KUBECONFIG is not set");
  const { host, port } = place.podApi;
  const dir = place.serviceAccountDir ?? SERVICE_ACCOUNT_DIR;
  const ca = read(path.join(dir, "ca.crt"), "the service account's certificate");
  return {
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    dispatcher: new Agent({ connect: { ca, timeout: CONNECT_MS } }),
    headers: () => bearer(read(path.join(dir, "token"), "the service account's token").trim()),
  };
}

function fromKubeconfig(file: string): KubernetesAccess {
  const config: unknown = parse(read(file, "the kubeconfig file"));
  const context = named(config, "context", textIn(config, "current-context"));
  const cluster = named(config, "cluster", textIn(context, "cluster"));
  const user = named(config, "user", textIn(context, "user"));
  const folder = path.dirname(file);
  const bytes = (source: unknown, field: string): string | undefined => {
    const inline = textIn(source, `${field}-data`);
    if (inline !== undefined) return Buffer.from(inline, "base64").toString("utf8");
    const place = textIn(source, field);
    return place === undefined ? undefined : read(path.resolve(folder, place), `the kubeconfig's ${field}`);
  };
  const server = textIn(cluster, "server");
  if (server === undefined) throw new Error("the kubeconfig's cluster has no server");
  const [ca, cert, key] = [
    bytes(cluster, "certificate-authority"),
    bytes(user, "client-certificate"),
    bytes(user, "client-key"),
  ];
  const tokenFile = textIn(user, "tokenFile");
  const token = textIn(user, "token");
  return {
    server: server.replace(/\/+$/, ""),
    dispatcher: new Agent({
      connect: {
        timeout: CONNECT_MS,
        ...(ca === undefined ? {} : { ca }),
        ...(cert === undefined || key === undefined ? {} : { cert, key }),
        ...(valueIn(cluster, "insecure-skip-tls-verify") === true ? { rejectUnauthorized: false } : {}),
      },
    }),
    headers: () => {
      if (tokenFile !== undefined) return bearer(read(path.resolve(folder, tokenFile), "the token file").trim());
      return token === undefined ? {} : bearer(token);
    },
  };
}

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

/** The entry `name` of a kubeconfig's list of contexts, clusters or users, without its wrapper. */
function named(config: unknown, what: "context" | "cluster" | "user", name: string | undefined): unknown {
  const entries = valueIn(config, `${what}s`);
  const found = Array.isArray(entries) ? entries.find((entry: unknown) => textIn(entry, "name") === name) : undefined;
  if (name === undefined || found === undefined) throw new Error(`the kubeconfig names no current ${what}`);
  return valueIn(found, what);
}

function valueIn(source: unknown, field: string): unknown {
  return typeof source === "object" && source !== null
    ? Object.getOwnPropertyDescriptor(source, field)?.value
    : undefined;
}

function textIn(source: unknown, field: string): string | undefined {
  const value = valueIn(source, field);
  return typeof value === "string" && value !== "" ? value : undefined;
}

function read(file: string, what: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    throw new Error(`${what} cannot be read`);
  }
}
