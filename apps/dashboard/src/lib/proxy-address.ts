/** Where clients reach the gateways, as far as a page can know it. */

interface SettingInForce {
  readonly name: string;
  readonly values: readonly { readonly value: string | null }[];
}

const SETTING = "OBLETH_PROXY_LISTEN";
const DEFAULT_PORT = "8080";

/** The host this page came from and the port a gateway listens on. A load balancer in front has another address. */
export function proxyAddress(pageHost: string, settings: readonly SettingInForce[]): string {
  const listen = settings.find((setting) => setting.name === SETTING)?.values[0]?.value ?? "";
  const port = /:(\d+)$/.exec(listen)?.[1] ?? DEFAULT_PORT;
  return `http://${pageHost}:${port}`;
}
