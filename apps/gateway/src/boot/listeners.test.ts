import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { answering, cutConnections, type Listener, openListener, stopAccepting } from "./listeners";

const opened: Listener[] = [];

afterEach(() => {
  for (const listener of opened.splice(0)) {
    stopAccepting(listener);
    cutConnections(listener);
  }
});

async function open(handle: Parameters<typeof answering>[0], port = 0): Promise<Listener> {
  const address = { host: "127.0.0.1", port };
  const listener = await openListener({ address, setting: "OBLETH_PROXY_LISTEN", attach: answering(handle) });
  opened.push(listener);
  return listener;
}

describe("a listener", () => {
  it("says which port it got when any was wanted", async () => {
    const { address } = await open((_request, response) => void response.end("hello"));
    expect(address.port).toBeGreaterThan(0);
    expect(await (await fetch(`http://127.0.0.1:${address.port}`)).text()).toBe("hello");
  });

  it("names the setting to change when its port is in use", async () => {
    const { address } = await open((_request, response) => void response.end());
    await expect(open(() => {}, address.port)).rejects.toThrow(
      `port ${address.port} is in use; stop what uses it or set OBLETH_PROXY_LISTEN to another`,
    );
  });

  it("names the setting when the address is not this machine's", async () => {
    const address = { host: "192.0.2.1", port: 0 };
    const opening = openListener({ address, setting: "OBLETH_ADMIN_LISTEN", attach: () => {} });
    await expect(opening).rejects.toThrow(/^cannot listen on 192\.0\.2\.1:0 \(E\w+\); set OBLETH_ADMIN_LISTEN/);
  });

  const head = "POST / HTTP/1.1\r\nhost: g\r\n";
  it.each([
    ["both length and chunks", `${head}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
    ["two lengths", `${head}content-length: 5\r\ncontent-length: 6\r\n\r\nhello`],
    ["a space before the colon", `${head}content-length : 0\r\n\r\n`],
    ["a folded header", `${head}x-a: 1\r\n  2\r\n\r\n`],
    ["a NUL in a name", `${head}x\0a: 1\r\n\r\n`],
    ["bare line feeds", "GET / HTTP/1.1\nhost: g\n\n"],
    ["no host", "GET / HTTP/1.1\r\n\r\n"],
  ])("refuses a request with %s and closes, and nothing of it is handled", async (_, bytes) => {
    let handled = 0;
    const listener = await open((_request, response) => {
      handled++;
      response.end();
    });
    const client = connect(listener.address.port, "127.0.0.1");
    let text = "";
    client.on("data", (data) => (text += String(data)));
    client.write(bytes);
    await once(client, "close");
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(handled).toBe(0);
  });

  it("told to stop closes idle connections, refuses new ones, and lets a running answer end", async () => {
    let finish = () => {};
    const listener = await open((incoming, response) => {
      if (incoming.url === "/quick") return void response.end("done");
      response.write("one ");
      finish = () => response.end("two");
    });
    const { port } = listener.address;
    const idle = connect(port, "127.0.0.1");
    idle.write("GET /quick HTTP/1.1\r\nhost: x\r\n\r\n");
    await once(idle, "data");
    const running = request({ port, host: "127.0.0.1" }).end();
    const [response] = await once(running, "response");
    let text = "";
    response.on("data", (data: Buffer) => (text += String(data)));
    const idleClosed = once(idle, "close");
    stopAccepting(listener);
    await idleClosed;
    await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow();
    finish();
    await once(response, "end");
    expect(text).toBe("one two");
  });
});
