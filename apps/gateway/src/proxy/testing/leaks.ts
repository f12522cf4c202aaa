/** What has to hold after any amount of trouble. */
import { expect } from "vitest";
import { type Rig, until } from "./rig";
import type { Script, ScriptedUpstream } from "./scripted-upstream";
import { chunk, completion, delta, event, json, LAST_CHUNK, STREAM_HEAD } from "./scripts";

/** Streams for requests that ask to, answers others at once. */
export const mixed: Script = async (answer) => {
  if (!answer.request.body.includes('"stream":true')) return json(completion("ok"))(answer);
  await answer.write(STREAM_HEAD);
  for (let i = 0; i < 200 && !answer.isGone; i++) {
    await answer.write(chunk(event(delta(`w${i}`))));
    await answer.pause(10);
  }
  await answer.write(chunk(event(delta("", "stop"))));
  await answer.write(LAST_CHUNK);
};

/** Every count is 0 again and all slots can be used. */
export async function expectNoLeak(rig: Rig, upstream: ScriptedUpstream, slots: number): Promise<void> {
  await until(() => rig.inFlight === 0 && rig.listener.activeCount === 0);
  upstream.script = json(completion("after"));
  const answers = await Promise.all(Array.from({ length: slots }, () => rig.chat()));
  expect(answers.map((answer) => answer.status)).toEqual(Array(slots).fill(200));
  await Promise.all(answers.map((answer) => answer.text()));
  expect(rig.listener.heldBodyBytes).toBe(0);
  expect(rig.faults).toEqual([]);
}
