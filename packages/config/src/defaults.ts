/**
 * Every variable obleth reads, in the order the settings page lists them. Adding a setting means adding it to its part
 * in `settings`, with its default, unit and reason; parsing, `.env.example`, the settings page and `obleth config check`
 * follow.
 */
import { admissionSettings } from "./settings/admission";
import { affinitySettings } from "./settings/affinity";
import { capacitySettings } from "./settings/capacity";
import { listenerSettings } from "./settings/listeners";
import { operationSettings } from "./settings/operation";
import { redisSettings } from "./settings/redis";
import { replicaSettings } from "./settings/replicas";
import { secretSettings } from "./settings/secrets";
import { storageSettings } from "./settings/storage";
import { upstreamSettings } from "./settings/upstream";

/** Sections of the settings page. */
export const SECTIONS = [
  { title: "Listeners", settings: listenerSettings },
  { title: "Data", settings: storageSettings },
  { title: "Secrets", settings: secretSettings },
  { title: "Admission and fairness", settings: admissionSettings },
  { title: "Replicas", settings: replicaSettings },
  { title: "Redis", settings: redisSettings },
  { title: "Session affinity", settings: affinitySettings },
  { title: "Upstreams and clients", settings: upstreamSettings },
  { title: "Capacity discovery", settings: capacitySettings },
  { title: "Operation", settings: operationSettings },
] as const;

/** All settings by the name the code uses. */
export const SETTINGS = {
  ...listenerSettings,
  ...storageSettings,
  ...secretSettings,
  ...admissionSettings,
  ...replicaSettings,
  ...redisSettings,
  ...affinitySettings,
  ...upstreamSettings,
  ...capacitySettings,
  ...operationSettings,
};
