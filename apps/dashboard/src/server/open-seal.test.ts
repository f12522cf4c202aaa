import { sealData } from "iron-session";
import { describe, expect, it } from "vitest";
import { openSeal } from "./open-seal";

const OPTIONS = { secret: "a-secret-of-tests-of-at-least-32-letters", ttlSecs: 60 };
const seal = () => sealData({ role: "viewer" }, { password: OPTIONS.secret, ttl: OPTIONS.ttlSecs });

describe("a sealed cookie", () => {
  it("gives what was sealed", async () => {
    expect(await openSeal(await seal(), OPTIONS)).toEqual({ role: "viewer" });
  });

  it.each([
    "x",
    "a*b*c*d*e*f*g*h",
    "*******",
    "Fe26.2*1*\u00e9*\u00e9*\u00e9*x*\u00e9*\u00e9",
    "Fe26.2*forged",
    "%E0%A4%A",
  ])("is as good as none where it is no seal: %s", async (text) => {
    expect(await openSeal(text, OPTIONS)).toEqual({});
  });

  it("is as good as none where a part of it was changed, for whichever part", async () => {
    const parts = (await seal()).split("*");
    for (const at of parts.keys()) {
      for (const other of ["", "!!", "9", "\u00e9"]) {
        const forged = parts.map((part, index) => (index === at ? other : part)).join("*");
        expect(await openSeal(forged, OPTIONS), `part ${at} as "${other}"`).toEqual({});
      }
    }
  });
});
