/** A model's settings as they are typed. */

import { MAX_ADMISSION_WEIGHT, MAX_REQUEST_TIMEOUT_SECS, MAX_RETRIES } from "@obleth/contract/bounds";
import { errorOf, numberOf, parseOptional, parseWhole } from "../../../lib/weight";
import type { Model } from "../../../queries/wire";

export interface SettingsDraft {
  readonly name: string;
  readonly aliases: string;
  readonly admissionWeight: string;
  readonly selection: Model["endpoint_selection"];
  readonly timeout: string;
  readonly retries: string;
  readonly queues: boolean;
}

type ModelFacts = Pick<
  Model,
  | "name"
  | "aliases"
  | "admission_weight"
  | "endpoint_selection"
  | "request_timeout_secs"
  | "max_retries"
  | "queue_without_servers"
>;

export function settingsDraft(model: ModelFacts): SettingsDraft {
  return {
    name: model.name,
    aliases: model.aliases.join(", "),
    admissionWeight: String(model.admission_weight),
    selection: model.endpoint_selection,
    timeout: model.request_timeout_secs?.toString() ?? "",
    retries: String(model.max_retries),
    queues: model.queue_without_servers,
  };
}

const parseAdmissionWeight = (text: string) =>
  parseWhole(text, { what: "An admission weight in percent", max: MAX_ADMISSION_WEIGHT });
const parseRetries = (text: string) => parseWhole(text, { what: "A number of retries", min: 0, max: MAX_RETRIES });
const parseTimeout = (text: string) =>
  parseOptional(text, (given) => parseWhole(given, { what: "A timeout in s", max: MAX_REQUEST_TIMEOUT_SECS }));

export function settingsErrors(draft: SettingsDraft) {
  return {
    name: draft.name.trim() === "" ? "A model has a name." : null,
    admissionWeight: errorOf(parseAdmissionWeight(draft.admissionWeight)),
    timeout: errorOf(parseTimeout(draft.timeout)),
    retries: errorOf(parseRetries(draft.retries)),
  };
}

/** Only what was touched, of a draft without errors; the rest stays as it is, whoever changed it. */
export function settingsPatch(touched: Partial<SettingsDraft>) {
  const { name, aliases, admissionWeight, selection, timeout, retries, queues } = touched;
  const names = aliases?.split(",").map((alias) => alias.trim());
  return {
    ...(name === undefined ? {} : { name: name.trim() }),
    ...(names === undefined ? {} : { aliases: names.filter((alias) => alias !== "") }),
    ...(admissionWeight === undefined ? {} : { admission_weight: numberOf(parseAdmissionWeight(admissionWeight)) }),
    ...(selection === undefined ? {} : { endpoint_selection: selection }),
    ...(timeout === undefined ? {} : { request_timeout_secs: numberOf(parseTimeout(timeout)) }),
    ...(retries === undefined ? {} : { max_retries: numberOf(parseRetries(retries)) }),
    ...(queues === undefined ? {} : { queue_without_servers: queues }),
  };
}
