/** Starts what a test needs and stops it when the test is over. */
import { afterEach, vi } from "vitest";
import type { EndpointRecord, ModelRecord } from "../../policy-cache/records";
import { endpoint, model, Rig, type RigOptions } from "./rig";
import { type Script, ScriptedUpstream } from "./scripted-upstream";

// Sockets and timers share a busy machine with every other test file.
vi.setConfig({ testTimeout: 30_000 });

const opened: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const thing of opened.splice(0).reverse()) await thing.close();
});

export interface GatewayOptions extends Partial<RigOptions> {
  readonly endpoint?: Partial<EndpointRecord>;
  readonly model?: Partial<ModelRecord>;
}

/** A gateway with one model `m` at one scripted backend. */
export async function gateway(
  script: Script,
  options: GatewayOptions = {},
): Promise<{ rig: Rig; upstream: ScriptedUpstream }> {
  const upstream = await backend(script);
  const rig = await gatewayWith({
    models: [model([endpoint(upstream.base, options.endpoint)], options.model)],
    ...options,
  });
  return { rig, upstream };
}

export async function gatewayWith(options: RigOptions): Promise<Rig> {
  const rig = await Rig.start(options);
  opened.push(rig);
  return rig;
}

export async function backend(script: Script): Promise<ScriptedUpstream> {
  const upstream = await ScriptedUpstream.start(script);
  opened.push(upstream);
  return upstream;
}
