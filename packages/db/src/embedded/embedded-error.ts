/** A reason why the embedded database cannot run, said in one line that names what to do. */
export class EmbeddedDatabaseError extends Error {
  readonly code = "embedded_database";

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "EmbeddedDatabaseError";
  }
}

/** The system's error code, for example `EACCES`; undefined for other errors. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
