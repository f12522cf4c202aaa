export { SETTINGS } from "./defaults";
export {
  type Environment,
  environmentSchema,
  leastBodyMemory,
  podApi,
  type ReadSettings,
  readSettings,
  type SettingName,
  type SettingNotice,
  type SettingProblem,
  type Settings,
  SettingsError,
} from "./env";
export { type EffectiveSetting, effectiveSettings, renderEnvExample, renderSettingsPage } from "./render";
export type { ListenAddress } from "./setting";
export { type StartFacts, type StartWarning, startWarnings } from "./warnings";
