/** Where discovered pool sizes come from. */
import { integer, list, optionalText } from "../setting";

export const capacitySettings = {
  discoveryIntervalSecs: integer("OBLETH_CAPACITY_DISCOVERY_INTERVAL_SECS", {
    default: 15,
    min: 1,
    max: 3600,
    unit: "s",
    about: "How often discovered pool sizes are read again.",
  }),
  discoveryNamespaces: list("OBLETH_CAPACITY_DISCOVERY_NAMESPACES", {
    allowed: "comma-separated Kubernetes namespaces",
    pattern: /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/,
    about: "Namespaces whose Services may size a pool. Unset allows any the service account can read.",
  }),
  kubeconfig: optionalText("OBLETH_KUBECONFIG", {
    allowed: "a file's path",
    pattern: /^[^\0]+$/,
    about: "A kubeconfig file to reach Kubernetes with. Unset uses the pod's service account.",
  }),
};
