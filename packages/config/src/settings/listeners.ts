/** Where the processes listen, and what they take from whom. */
import { HTTP, integer, list, listen, url } from "../setting";

export const listenerSettings = {
  proxyListen: listen("OBLETH_PROXY_LISTEN", {
    default: "0.0.0.0:8080",
    about: "Where API clients connect. The one listener that is reachable from outside unless told otherwise.",
  }),
  adminListen: listen("OBLETH_ADMIN_LISTEN", {
    default: "127.0.0.1:9180",
    about: "Where the management API listens. Loopback unless asked: it can change every weight and read every record.",
  }),
  metricsListen: listen("OBLETH_METRICS_LISTEN", {
    default: "127.0.0.1:9091",
    about: "Where Prometheus reads /metrics.",
  }),
  dashboardListen: listen("OBLETH_DASHBOARD_LISTEN", {
    default: "127.0.0.1:3000",
    about: "Where the dashboard serves its pages.",
  }),
  managementUrl: url("OBLETH_MANAGEMENT_URL", {
    ...HTTP,
    default: "http://127.0.0.1:9180",
    about: "Where the dashboard reaches the management API.",
  }),
  corsOrigins: list("OBLETH_CORS_ORIGINS", {
    allowed: "comma-separated origins such as https://app.example.com, or *",
    pattern: /^(\*|https?:\/\/[^/\s]+)$/,
    about: "Origins whose browsers may call the proxy. Unset sends no CORS headers.",
  }),
  maxBodyBytes: integer("OBLETH_MAX_BODY_BYTES", {
    default: 67_108_864,
    min: 1024,
    max: 2_147_483_647,
    unit: "bytes",
    about: "Largest request body, after decoding. 64 MiB carries a long prompt with images; larger bodies get 413.",
  }),
  bodyMemoryBytes: integer("OBLETH_BODY_MEMORY_BYTES", {
    default: 0,
    min: 0,
    max: 1_099_511_627_776,
    unit: "bytes",
    about:
      "Request bodies that a gateway holds together while they arrive, wait and run; 0 is a quarter of the memory that the process may use, a container's limit included. A tenant may hold as much as is left free, so half of it alone; what finds no room gets 503 with Retry-After. Raised to six times OBLETH_MAX_BODY_BYTES where it is less, so that any one body can pass.",
  }),
};
