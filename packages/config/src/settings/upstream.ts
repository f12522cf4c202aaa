/** Reaching endpoints, and what is done about slow ones, slow clients and a budget store that is down. */
import { DAY_SECS, flag, HTTP, integer, optionalText, optionalUrl } from "../setting";

export const upstreamSettings = {
  upstreamBaseUrl: optionalUrl("OBLETH_UPSTREAM_BASE_URL", {
    ...HTTP,
    about: "Where requests for unregistered models go, up to and including /v1. Unset, they get 404.",
  }),
  upstreamApiKey: optionalText("OBLETH_UPSTREAM_API_KEY", {
    allowed: "a credential without spaces",
    pattern: /^\S+$/,
    secrecy: "secret",
    about: "Credential sent to OBLETH_UPSTREAM_BASE_URL.",
  }),
  upstreamConnectTimeoutSecs: integer("OBLETH_UPSTREAM_CONNECT_TIMEOUT_SECS", {
    default: 10,
    min: 1,
    max: 300,
    unit: "s",
    about: "How long connecting to an endpoint may take before the next one is tried.",
  }),
  upstreamTimeoutSecs: integer("OBLETH_UPSTREAM_TIMEOUT_SECS", {
    default: 300,
    min: 1,
    max: DAY_SECS,
    unit: "s",
    about: "How long an endpoint may take to its first byte. Long prompts on a busy backend need minutes.",
  }),
  upstreamReadTimeoutSecs: integer("OBLETH_UPSTREAM_READ_TIMEOUT_SECS", {
    default: 120,
    min: 1,
    max: DAY_SECS,
    unit: "s",
    about: "Longest silence between two bytes of an answer.",
  }),
  clientStallSecs: integer("OBLETH_CLIENT_STALL_SECS", {
    default: 60,
    min: 1,
    max: DAY_SECS,
    unit: "s",
    about: "A client that takes no bytes for so long is dropped, because it holds a slot others wait for.",
  }),
  blockPrivateNetworks: flag("OBLETH_BLOCK_PRIVATE_NETWORKS", {
    default: false,
    about: "Refuses endpoints in private address ranges. Off, because most backends live in one.",
  }),
  deriveSessionIds: flag("OBLETH_DERIVE_SESSION_IDS", {
    default: true,
    about: "Recognises a conversation by its opening when the client sends no session id.",
  }),
  failOpen: flag("OBLETH_FAIL_OPEN", {
    default: true,
    about: "With the budget store down: on serves without budgets and says so, off answers 503.",
  }),
};
