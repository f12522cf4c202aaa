/** Which build this is. The bundler writes both values in; from source they say so. */
export interface Build {
  readonly version: string;
  readonly commit: string | null;
}

declare const OBLETH_VERSION: string | undefined;
declare const OBLETH_COMMIT: string | undefined;

export function thisBuild(): Build {
  return {
    version: typeof OBLETH_VERSION === "string" ? OBLETH_VERSION : "0.0.0-source",
    commit: typeof OBLETH_COMMIT === "string" && OBLETH_COMMIT !== "" ? OBLETH_COMMIT : null,
  };
}
