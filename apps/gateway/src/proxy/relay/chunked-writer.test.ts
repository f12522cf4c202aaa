import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { ChunkedWriter } from "./chunked-writer";

async function answeredBy(answer: (res: ServerResponse) => Promise<void>): Promise<string> {
  let fault: unknown = null;
  const server = createServer((_req, res) => {
    answer(res).catch((error: unknown) => {
      fault = error;
      res.destroy();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  try {
    return await (await fetch(`http://127.0.0.1:${port}`)).text();
  } catch (error) {
    throw fault ?? error;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it("pieces that come together leave together: none before the last, all in the same turn", async () => {
  const text = await answeredBy(async (res) => {
    const writer = new ChunkedWriter(res, () => undefined);
    res.writeHead(200);
    writer.write(Buffer.from("head, "));
    await nextTurn();
    for (let round = 0; round < 3; round++) {
      for (const piece of ["a", "bb", "ccc "]) writer.write(Buffer.from(piece));
      expect(res.socket?.writableLength).toBe(22);
      await new Promise<void>((resolve) => process.nextTick(resolve));
      expect(res.socket?.writableLength).toBe(0);
    }
    writer.write(Buffer.from("end"));
    writer.release();
    res.end();
  });
  expect(text).toBe("head, abbccc abbccc abbccc end");
});
