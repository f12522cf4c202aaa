/** What the audit tells changes of. Without schemas, so that pages can list it too. */
export const AUDIT_OBJECTS = [
  "group",
  "tenant",
  "model_cap",
  "key",
  "model",
  "endpoint",
  "boost",
  "capacity",
  "user",
  "session",
] as const;
