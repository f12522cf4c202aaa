import { describe, expect, it } from "vitest";
import { endpoint } from "../testing/rig";
import { errorAnswer } from "./error-answer";

const server = endpoint("http://gpu:8000/v1", {
  apiKey: "up-key",
  headers: {
    "X-Api-Token": "0123456789abcdef0123",
    Authorization: "Token fedcba9876543210ffff",
    "X-Version": "2026-11",
  },
});

function told(message: string): string {
  const body = Buffer.from(JSON.stringify({ error: { message } }));
  const head = { headers: [], contentType: "", contentLength: null, isEncoded: false, endsWithConnection: false };
  const answer = errorAnswer({ endpoint: server, status: 400, head, body, isTranslated: false, requestId: "r" });
  return "refusal" in answer ? answer.refusal.code : answer.body.toString();
}

describe("a backend's error", () => {
  it.each(["up-key", "0123456789abcdef0123", "fedcba9876543210ffff"])("that repeats %s is withheld", (secret) => {
    expect(told(`the key ${secret} is not known`)).toBe("upstream_failed");
  });

  it("that names a version sent in a header is passed on", () => {
    expect(told("version 2026-11 is not supported")).toContain("2026-11");
  });
});
