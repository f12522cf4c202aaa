/** What a run is given besides its arguments. The only module that reads the process's environment. */
export interface Environment {
  readonly managementUrl: string | undefined;
  readonly adminToken: string | undefined;
  readonly dataDir: string | undefined;
  readonly cwd: string;
  /** A shell that wants no colours or cursor movement. */
  readonly isPlainTerminal: boolean;
  /** Any variable, for `${NAME}` in configuration files. */
  variable(name: string): string | undefined;
}

export function processEnvironment(): Environment {
  const given = (name: string) => {
    const value = process.env[name]?.trim();
    return value === "" ? undefined : value;
  };
  return {
    managementUrl: given("OBLETH_MANAGEMENT_URL"),
    adminToken: given("OBLETH_ADMIN_TOKEN"),
    dataDir: given("OBLETH_DATA_DIR"),
    cwd: process.cwd(),
    isPlainTerminal: given("TERM") === "dumb",
    variable: (name) => process.env[name],
  };
}
