/** A backend that keeps every chat call open until it is told to answer: for tests that need slots to stay taken. */
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

export class HeldBackend {
  readonly held: ServerResponse[] = [];
  /** Calls seen, answered or not. */
  calls = 0;
  /** The `user` of each chat call's body, in order of arrival. */
  readonly users: string[] = [];
  /** Answers at once instead of holding. */
  isOpen = true;
  readonly #server: Server;
  #whenCalled: (() => void)[] = [];

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<HeldBackend> {
    const server = createServer();
    const backend = new HeldBackend(server);
    server.on("request", (request, response) => {
      if (request.method === "GET") {
        request.resume();
        return response.end('{"data":[]}');
      }
      backend.calls++;
      void json(request).then((body) => {
        backend.users.push(String((body as { user?: unknown }).user));
        if (backend.isOpen) answer(response);
        else backend.held.push(response);
        for (const called of backend.#whenCalled.splice(0)) called();
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return backend;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves when the next chat call has come. */
  nextCall(): Promise<void> {
    return new Promise((resolve) => this.#whenCalled.push(resolve));
  }

  /** Answers everything that is held. */
  letGo(): void {
    for (const response of this.held.splice(0)) answer(response);
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

function answer(response: ServerResponse): void {
  const choices = [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }];
  const usage = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ id: "chat-1", object: "chat.completion", model: "sim-chat", choices, usage }));
}
