import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { freePort, readAddress, requireFree, urlOf } from "./addresses.mjs";

const held: Server[] = [];
afterEach(() => {
  for (const server of held.splice(0)) server.close();
});

async function hold(host: string): Promise<number> {
  const server = createServer().listen(0, host);
  held.push(server);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

describe("readAddress", () => {
  it.each([
    ["127.0.0.1:80", { host: "127.0.0.1", port: 80 }],
    ["[::1]:8080", { host: "::1", port: 8080 }],
    ["localhost:0", { host: "localhost", port: 0 }],
  ])("reads %s", (text, address) => {
    expect(readAddress(text, "X")).toEqual(address);
  });

  it.each(["8080x", "127.0.0.1", "127.0.0.1:99999", "::1:80"])("refuses %s and names the variable", (text) => {
    expect(() => readAddress(text, "OBLETH_X_LISTEN")).toThrow("OBLETH_X_LISTEN");
  });
});

describe("urlOf", () => {
  it("shows a listener on all addresses at loopback", () => {
    expect(urlOf({ host: "0.0.0.0", port: 8080 })).toBe("http://127.0.0.1:8080");
    expect(urlOf({ host: "::1", port: 1 })).toBe("http://[::1]:1");
  });
});

describe("requireFree", () => {
  it("lets a free port and port 0 pass", async () => {
    await requireFree({ host: "127.0.0.1", port: await freePort() }, "X");
    await requireFree({ host: "127.0.0.1", port: 0 }, "X");
  });

  it.each(["127.0.0.1", "0.0.0.0"])("names the port and the variable when %s is taken on it", async (host) => {
    const port = await hold(host);
    await expect(requireFree({ host: "127.0.0.1", port }, "OBLETH_X")).rejects.toThrow(`Port ${port} is in use`);
    await expect(requireFree({ host: "0.0.0.0", port }, "OBLETH_X")).rejects.toThrow("OBLETH_X");
  });
});
