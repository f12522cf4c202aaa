/** The benchmark's clients: raw keep-alive connections, each sending its next request when its answer is complete. */
import { connect, type Socket } from "node:net";
import type { LoadJob, LoadResult } from "../load-job";

const CHUNKED_END = Buffer.from("0\r\n\r\n");
const HEAD_END = Buffer.from("\r\n\r\n");

process.on("message", (job: LoadJob) => {
  void run(job).then((result) => process.send?.(result));
});
process.on("disconnect", () => process.exit(0));

async function run(job: LoadJob): Promise<LoadResult> {
  const clients = await Promise.all(Array.from({ length: job.connections }, () => Client.open(job)));
  const start = performance.now();
  const endAt = start + job.durationMs;
  await Promise.all(clients.map((client) => client.runUntil(endAt)));
  const seconds = (performance.now() - start) / 1000;
  for (const client of clients) client.close();
  const latencies = clients.flatMap((client) => client.latenciesMs).sort((a, b) => a - b);
  return {
    requests: latencies.length,
    seconds,
    failures: clients.reduce((sum, client) => sum + client.failures, 0),
    medianMs: latencies[Math.floor(latencies.length / 2)] ?? 0,
  };
}

class Client {
  readonly latenciesMs: number[] = [];
  failures = 0;
  #received: Buffer | null = null;
  #isChunked = false;
  #left = -1;
  #tail: Buffer = Buffer.alloc(0);
  #sentAt = 0;
  #endAt = 0;
  #done: () => void = () => {};

  private constructor(
    private readonly socket: Socket,
    private readonly bytes: Buffer,
  ) {
    socket.setNoDelay(true);
    socket.on("data", (chunk: Buffer) => this.#take(chunk));
    socket.on("error", () => {});
    socket.on("close", () => {
      if (this.#sentAt > 0) this.failures++;
      this.#done();
    });
  }

  static async open(job: LoadJob): Promise<Client> {
    const socket = connect(job.port, "127.0.0.1");
    await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
    return new Client(socket, Buffer.from(job.request, "latin1"));
  }

  runUntil(endAt: number): Promise<void> {
    this.#endAt = endAt;
    return new Promise((resolve) => {
      this.#done = resolve;
      this.#send();
    });
  }

  close(): void {
    this.#sentAt = 0;
    this.socket.destroy();
  }

  #send(): void {
    this.#left = -1;
    this.#tail = Buffer.alloc(0);
    this.#sentAt = performance.now();
    this.socket.write(this.bytes);
  }

  #take(chunk: Buffer): void {
    let body = chunk;
    if (this.#left < 0) {
      const bytes = this.#received === null ? chunk : Buffer.concat([this.#received, chunk]);
      const headEnd = bytes.indexOf(HEAD_END);
      if (headEnd < 0) {
        this.#received = bytes;
        return;
      }
      this.#received = null;
      const head = bytes.toString("latin1", 0, headEnd).toLowerCase();
      if (!head.startsWith("http/1.1 200")) this.failures++;
      const length = /content-length: (\d+)/.exec(head);
      this.#isChunked = length === null;
      this.#left = length === null ? 0 : Number(length[1]);
      body = bytes.subarray(headEnd + 4);
    }
    if (this.#isChunked) {
      this.#tail = body.length >= 5 ? body.subarray(body.length - 5) : Buffer.concat([this.#tail, body]).subarray(-5);
      if (!this.#tail.equals(CHUNKED_END)) return;
    } else {
      this.#left -= body.length;
      if (this.#left > 0) return;
    }
    const now = performance.now();
    this.latenciesMs.push(now - this.#sentAt);
    this.#sentAt = 0;
    if (now >= this.#endAt) this.#done();
    else this.#send();
  }
}
