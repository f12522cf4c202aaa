import { describe, expect, it } from "vitest";
import { proxyAddress } from "./proxy-address";

const listening = (value: string | null) => [
  { name: "OBLETH_ADMIN_LISTEN", values: [{ value: "127.0.0.1:9180" }] },
  { name: "OBLETH_PROXY_LISTEN", values: [{ value }] },
];

describe("the address that clients are told", () => {
  it("has the port that the gateway listens on, whichever that is", () => {
    expect(proxyAddress("gw.example", listening("0.0.0.0:18080"))).toBe("http://gw.example:18080");
    expect(proxyAddress("gw.example", listening("[::1]:81"))).toBe("http://gw.example:81");
  });

  it("has the usual port while the setting is not known", () => {
    expect(proxyAddress("gw.example", [])).toBe("http://gw.example:8080");
    expect(proxyAddress("gw.example", listening(null))).toBe("http://gw.example:8080");
  });
});
