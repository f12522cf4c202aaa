/**
 * Counts the calls that the gateways of this process have open at backends, by their own connections: from the moment a
 * request is written until its answer is complete or its connection is destroyed, which closes the descriptor at once. A
 * backend cannot count as exactly: it hears of an end when its own loop reads it.
 */
import { Connection, type ConnectionUser } from "../../upstream/connection";

export class OpenCalls {
  /** Most that were open together, counted whenever a call is sent. */
  most = 0;
  readonly #open = new Map<ConnectionUser, Connection>();
  readonly #send = Connection.prototype.send;

  constructor() {
    const calls = this;
    Connection.prototype.send = function (head, body, user) {
      calls.#send.call(this, head, body, calls.#watched(this, user));
    };
  }

  /** Open at this moment. */
  get open(): number {
    for (const [call, { isOpen }] of this.#open) if (!isOpen) this.#open.delete(call);
    return this.#open.size;
  }

  stop(): void {
    Connection.prototype.send = this.#send;
  }

  #watched(connection: Connection, user: ConnectionUser): ConnectionUser {
    return {
      onSent: () => {
        this.#open.set(user, connection);
        this.most = Math.max(this.most, this.open);
        user.onSent();
      },
      onHead: (status, headers) => user.onHead(status, headers),
      onBody: (bytes) => user.onBody(bytes),
      onEnd: (isReusable) => {
        this.#open.delete(user);
        user.onEnd(isReusable);
      },
      onLost: (error) => user.onLost(error),
    };
  }
}
