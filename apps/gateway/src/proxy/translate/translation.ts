/** The two ways an OpenAI answer is put into Anthropic's form while it passes: a stream by its events, a body whole. */
import { GatheredBytes } from "../../gathered-bytes";
import { SseSplitter } from "../../upstream/sse";
import type { AnswerTranslation } from "../relay/answer-relay";
import { type MessageIdentity, messageOf, TooMuchToKeep, Untranslatable } from "./message-answer";
import { MessageStream } from "./message-stream";

/**
 * Most that is kept of a single event, or of an answer that is translated whole, bytes: several times the longest that a
 * model writes, and little enough that a full pool of servers gone wrong does not fill the process.
 */
const MAX_KEPT_BYTES = 4 * 1024 * 1024;

export function messageTranslation(identity: MessageIdentity, isStream: boolean): AnswerTranslation {
  return isStream ? new StreamTranslation(identity) : new BodyTranslation(identity);
}

class StreamTranslation implements AnswerTranslation {
  readonly contentType = "text/event-stream; charset=utf-8";
  readonly #splitter = new SseSplitter(MAX_KEPT_BYTES);
  readonly #stream: MessageStream;

  constructor(identity: MessageIdentity) {
    this.#stream = new MessageStream(identity);
  }

  push(chunk: Buffer): Buffer | null {
    const events = this.#splitter.push(chunk);
    if (events === null) throw new TooMuchToKeep("an event too long to translate");
    return bytesOf(events.map((event) => this.#stream.push(event)).join(""));
  }

  end(): Buffer | null {
    const rest = this.#splitter
      .end()
      .map((event) => this.#stream.push(event))
      .join("");
    return bytesOf(rest + this.#stream.end());
  }
}

class BodyTranslation implements AnswerTranslation {
  readonly contentType = "application/json";
  readonly #bytes = new GatheredBytes();

  constructor(private readonly identity: MessageIdentity) {}

  push(chunk: Buffer): null {
    if (this.#bytes.size + chunk.length > MAX_KEPT_BYTES) throw new TooMuchToKeep("an answer too long to translate");
    this.#bytes.add(chunk);
    return null;
  }

  end(): Buffer {
    let completion: unknown;
    try {
      completion = JSON.parse(this.#bytes.takeWhole().toString("utf8"));
    } catch {
      throw new Untranslatable("an answer that is not JSON");
    }
    return Buffer.from(JSON.stringify(messageOf(completion, this.identity)));
  }
}

function bytesOf(text: string): Buffer | null {
  return text === "" ? null : Buffer.from(text);
}
