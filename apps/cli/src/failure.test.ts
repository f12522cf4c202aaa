import { ApiError } from "@obleth/contract/client";
import { describe, expect, it } from "vitest";
import { CommandError, EXIT, failureOf, usageError } from "./failure";

const place = { url: "http://127.0.0.1:9180", hasToken: true };
const refusal = (status: number, code: ApiError["details"]["code"], field: string | null = null) =>
  new ApiError("No.", { status, code, field, requestId: "r1", retryAfterSecs: null });

describe("how a command ends", () => {
  it.each([
    [refusal(400, "invalid_request"), EXIT.failed],
    [refusal(401, "unauthorized"), EXIT.failed],
    [refusal(404, "not_found"), EXIT.failed],
    [refusal(409, "group_not_empty"), EXIT.conflict],
    [refusal(412, "stale_edit"), EXIT.conflict],
    [refusal(500, "internal_error"), EXIT.failed],
    [refusal(503, "unavailable"), EXIT.unreachable],
    [refusal(0, "unreachable"), EXIT.unreachable],
    [refusal(502, "unexpected"), EXIT.unreachable],
    [refusal(404, "unexpected"), EXIT.failed],
    [new DOMException("late", "TimeoutError"), EXIT.unreachable],
    [usageError("What?"), EXIT.usage],
    [new CommandError("No."), EXIT.failed],
    [new TypeError("a fault of ours"), EXIT.failed],
  ])("with %s is exit code %d", (error, code) => {
    expect(failureOf(error, place).exitCode).toBe(code);
  });

  it("names the field unless the message does", () => {
    expect(failureOf(refusal(400, "invalid_request", "weight"), place).message).toBe("weight: No.");
  });

  it("says where it looked and why that failed", () => {
    const cause = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
    const details = { status: 0, code: "unreachable", field: null, requestId: null, retryAfterSecs: null } as const;
    const error = new ApiError("x", details, { cause: new TypeError("fetch failed", { cause }) });
    expect(failureOf(error, place).message).toBe("Cannot reach the gateway at http://127.0.0.1:9180 (ECONNREFUSED).");
  });

  it("tells a missing token from a wrong one", () => {
    expect(failureOf(refusal(401, "unauthorized"), place).hint).toMatch(/another admin token/);
    expect(failureOf(refusal(401, "unauthorized"), { ...place, hasToken: false }).hint).toMatch(
      /^Set OBLETH_ADMIN_TOKEN/,
    );
  });
});
