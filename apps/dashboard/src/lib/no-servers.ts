const CAUSES: Readonly<Record<string, string>> = {
  no_base_url: "no API base",
  no_enabled_endpoint: "no enabled endpoint",
  no_ready_replica: "no ready replica",
};

/** Why a model has nowhere to send a request, in words. */
export function noServersWords(cause: string | null): string {
  return CAUSES[cause ?? ""] ?? "nowhere to send a request";
}
