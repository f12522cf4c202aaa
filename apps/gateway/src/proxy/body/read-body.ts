/**
 * Takes a request's body off the socket into one buffer, decoded, under a limit. A body that is too long is refused at
 * its declared length where there is one, before a byte of it is read.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Refusal } from "../../error-response";
import { GatheredBytes } from "../../gathered-bytes";
import type { BodyHold } from "./body-memory";
import { type BodyEncoding, bodyEncoding, decodeBody } from "./decode-body";

/** `no-room`: the process holds as many bytes of bodies as it may. */
export type BodyResult = { readonly body: Buffer } | { readonly refusal: Refusal } | "no-room";

export interface BodyLimits {
  /** Longest body after decoding, bytes. */
  readonly maxBytes: number;
  /** Counts what is held of this one; after `done` with a body, the body's length. */
  readonly hold: BodyHold;
}

/**
 * Calls `done` once, unless the client goes away first, in which case never, or it does not matter any more.
 * `sendContinue` is set when the client waits to be told that its body is wanted.
 */
export function readBody(
  exchange: { req: IncomingMessage; res: ServerResponse; sendContinue: boolean },
  limits: BodyLimits,
  done: (result: BodyResult) => void,
): void {
  const { req, res, sendContinue } = exchange;
  const { maxBytes, hold } = limits;
  const encoding = bodyEncoding(req.headers["content-encoding"]);
  if (encoding === undefined) {
    done({ refusal: UNSUPPORTED_ENCODING });
    return;
  }
  const declaredBytes = Number(req.headers["content-length"] ?? 0);
  if (declaredBytes > maxBytes) {
    done({ refusal: tooLarge(maxBytes) });
    return;
  }
  if (!hold.hasRoomFor(declaredBytes)) {
    done("no-room");
    return;
  }
  if (sendContinue) res.writeContinue();
  collect(req, limits, (raw) => {
    if (typeof raw === "string") done(raw === "no-room" ? raw : { refusal: tooLarge(maxBytes) });
    else decode(raw, { ...limits, encoding }, done);
  });
}

const UNSUPPORTED_ENCODING: Refusal = {
  code: "unsupported_encoding",
  message:
    "This content encoding is not supported. Send the body plain, or encoded once with gzip, br, zstd or deflate.",
};

function tooLarge(maxBytes: number): Refusal {
  return { code: "body_too_large", message: `The request body is larger than the limit of ${maxBytes} bytes.` };
}

function tooWide(encoding: string, maxWindowBytes: number): Refusal {
  const message = `The ${encoding} data needs a window above ${maxWindowBytes} bytes, or is cut into very many blocks. Encode it with the usual settings.`;
  return { code: "invalid_request", message };
}

/** The whole body, or why it is not taken, as soon as that is known. */
function collect(
  req: IncomingMessage,
  { maxBytes, hold }: BodyLimits,
  done: (raw: Buffer | "too-large" | "no-room") => void,
): void {
  const gathered = new GatheredBytes();
  const stop = (): void => {
    req.off("data", onData);
    req.off("end", onEnd);
  };
  const onData = (chunk: Buffer): void => {
    const isTooLarge = gathered.size + chunk.length > maxBytes;
    if (!isTooLarge && hold.take(chunk.length)) {
      gathered.add(chunk);
      return;
    }
    stop();
    hold.giveBack(gathered.size);
    gathered.drop();
    done(isTooLarge ? "too-large" : "no-room");
  };
  const onEnd = (): void => {
    stop();
    done(gathered.takeWhole());
  };
  req.on("data", onData);
  req.on("end", onEnd);
}

function decode(
  raw: Buffer,
  { encoding, maxBytes, hold }: BodyLimits & { encoding: BodyEncoding },
  done: (result: BodyResult) => void,
): void {
  if (encoding === "identity") {
    done({ body: raw });
    return;
  }
  decodeBody(raw, { encoding, maxBytes, hold }, (decoded) => {
    hold.giveBack(raw.length);
    if (decoded.kind === "body") done({ body: decoded.body });
    else if (decoded.kind === "no-room") done("no-room");
    else if (decoded.kind === "too-large") done({ refusal: tooLarge(maxBytes) });
    else if (decoded.kind === "too-wide") done({ refusal: tooWide(encoding, decoded.maxWindowBytes) });
    else {
      const message = `The request body is not valid ${encoding} data, as its content encoding says.`;
      done({ refusal: { code: "invalid_request", message } });
    }
  });
}
