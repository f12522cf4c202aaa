import { describe, expect, it } from "vitest";
import { makeSealer, UnsealError } from "./sealed";
import { newSecret, secretHasher } from "./secret-hash";

describe("sealed credentials", () => {
  const sealer = makeSealer("0123456789abcdef0123456789abcdef");

  it("open to what was sealed, and look different each time", () => {
    const first = sealer.seal("sk-upstream-ü", "endpoint_key");
    expect(sealer.open(first, "endpoint_key")).toBe("sk-upstream-ü");
    expect(sealer.seal("sk-upstream-ü", "endpoint_key")).not.toBe(first);
    expect(first).not.toContain("upstream");
  });

  it("do not open for another purpose, under another key, or changed", () => {
    const sealed = sealer.seal("secret", "endpoint_key");
    const changed = sealed.slice(0, -2) + (sealed.endsWith("AA") ? "BB" : "AA");
    expect(() => sealer.open(sealed, "endpoint_header")).toThrow(UnsealError);
    expect(() => makeSealer("another key").open(sealed, "endpoint_key")).toThrow(UnsealError);
    expect(() => sealer.open(changed, "endpoint_key")).toThrow(UnsealError);
    expect(() => sealer.open("", "endpoint_key")).toThrow(UnsealError);
  });
});

describe("client secrets", () => {
  it("are sk_ and 48 hexadecimal characters, with a prefix to recognise them by", () => {
    const { secret, prefix } = newSecret();
    expect(secret).toMatch(/^sk_[0-9a-f]{48}$/);
    expect(secret.startsWith(prefix)).toBe(true);
    expect(prefix).toHaveLength(9);
  });

  it("hash to SHA-256, or to an HMAC with the pepper", () => {
    expect(secretHasher(undefined)("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect(secretHasher("pepper")("abc")).not.toBe(secretHasher(undefined)("abc"));
    expect(secretHasher("pepper")("abc")).toMatch(/^[0-9a-f]{64}$/);
  });
});
