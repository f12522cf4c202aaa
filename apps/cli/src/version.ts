/** Put in by the build; absent when run from source. */
declare const OBLETH_VERSION: string | undefined;

export function programVersion(): string {
  return typeof OBLETH_VERSION === "string" ? OBLETH_VERSION : "0.0.0-dev";
}
