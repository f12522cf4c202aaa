/** The least a Node process can do: `node:http` in, undici's raw dispatch out, headers and bytes passed on. */
import { createServer } from "node:http";
import { Pool } from "undici";
import { reportReady } from "./control";

const pool = new Pool(`http://127.0.0.1:${process.argv[2]}`, { connections: 1024, pipelining: 1 });
const HOP = new Set(["host", "connection", "content-length", "transfer-encoding", "keep-alive"]);

const server = createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on("data", (chunk: Buffer) => chunks.push(chunk));
  req.on("end", () => {
    const headers: string[] = [];
    for (const name in req.headers) {
      const value = req.headers[name];
      if (!HOP.has(name) && typeof value === "string") headers.push(name, value);
    }
    pool.dispatch(
      {
        method: "POST",
        path: req.url ?? "/",
        headers,
        body: chunks.length === 1 ? (chunks[0] ?? null) : Buffer.concat(chunks),
      },
      {
        onConnect(abort) {
          res.on("close", () => {
            if (!res.writableFinished) abort();
          });
        },
        onHeaders(status, raw, resume) {
          const out: string[] = [];
          for (let i = 0; i < raw.length; i += 2) {
            const name = (raw[i] as Buffer).toString("latin1");
            if (name === "content-length" || !HOP.has(name.toLowerCase()))
              out.push(name, (raw[i + 1] as Buffer).toString("latin1"));
          }
          res.writeHead(status, out);
          res.on("drain", resume);
          return true;
        },
        onData: (chunk) => res.write(chunk),
        onComplete: () => void res.end(),
        onError: () => void res.destroy(),
      },
    );
  });
});
server.keepAliveTimeout = 75_000;
server.listen(0, "127.0.0.1", () => reportReady(server));
