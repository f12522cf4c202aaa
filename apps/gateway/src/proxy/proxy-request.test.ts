/** A slot goes to the next request within the turn that gives it back, so the call it was for must be over by then. */
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { waiterId } from "@obleth/fairshare";
import { expect, it } from "vitest";
import { SlotPermit } from "../scheduler/permit";
import { ProxyRequest } from "./proxy-request";

it("gives up the call to the backend before it gives back the slot, and does both once", () => {
  const done: string[] = [];
  const req = new IncomingMessage(new Socket());
  const request = new ProxyRequest(req, new ServerResponse(req), { protocol: "openai", startedAtMs: 0 });
  request.permit = new SlotPermit({ finish: () => void done.push("slot") }, waiterId(1));
  let isOver = false;
  request.call = {
    abort: () => {
      if (!isOver) done.push("call");
      isOver = true;
    },
    resume: () => undefined,
  };
  request.releaseSlot();
  request.releaseSlot();
  expect(done).toEqual(["call", "slot"]);
});
