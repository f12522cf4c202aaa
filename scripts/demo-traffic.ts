/** Live traffic for `npm run demo`: sets the scenario up over the management API, then plays it until stopped. */
import { setMaxListeners } from "node:events";
import { provision } from "./demo/provision";
import { SAMPLE, TRAFFIC } from "./demo/scenario";
import { runTraffic } from "./demo/traffic";
import { exitWith, Refusal } from "./launch/refusal.mjs";

await exitWith(async () => {
  const adminUrl = required("DEMO_ADMIN_URL");
  const proxyUrl = required("DEMO_PROXY_URL");
  const simUrl = required("DEMO_SIM_URL");
  const { sampleModel, secrets } = await provision({ adminUrl, dataDir: required("OBLETH_DATA_DIR"), simUrl });
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stop.abort());
  await Promise.all(
    TRAFFIC.map(async (traffic) => {
      const secret = secrets.get(traffic.tenant);
      if (secret === undefined) return console.error(`no key for ${traffic.tenant}: its part of the demo is left out`);
      const model = traffic.model === SAMPLE ? sampleModel : traffic.model;
      await runTraffic(traffic, { url: proxyUrl, secret, model }, stop.signal);
    }),
  );
  return 0;
});

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === "") throw new Refusal(`${name} is not set; npm run demo sets it.`);
  return value;
}
