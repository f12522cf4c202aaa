/**
 * Takes a request's body off the socket into one buffer, decoded, under a limit. A body that is too long is refused at
 * its declared length where there is one, before a byte of it is read.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Refusal } from "../../error-response";
import { type BodyEncoding, bodyEncoding, decodeBody } from "./decode-body";

export type BodyResult = { readonly body: Buffer } | { readonly refusal: Refusal };

/**
 * Calls `done` once, unless the client goes away first, in which case never. `maxBytes` counts the body after decoding;
 * `sendContinue` is set when the client waits to be told that its body is wanted.
 */
export function readBody(
  exchange: { req: IncomingMessage; res: ServerResponse; sendContinue: boolean },
  maxBytes: number,
  done: (result: BodyResult) => void,
): void {
  const { req, res, sendContinue } = exchange;
  const encoding = bodyEncoding(req.headers["content-encoding"]);
  if (encoding === undefined) {
    done({ refusal: UNSUPPORTED_ENCODING });
    return;
  }
  if (Number(req.headers["content-length"] ?? 0) > maxBytes) {
    done({ refusal: tooLarge(maxBytes) });
    return;
  }
  if (sendContinue) res.writeContinue();
  collect(req, maxBytes, (raw) => {
    if (raw === undefined) done({ refusal: tooLarge(maxBytes) });
    else decode(raw, { encoding, maxBytes: maxBytes }, done);
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

/** The whole body, or undefined as soon as it is over the limit. */
function collect(req: IncomingMessage, maxBytes: number, done: (raw: Buffer | undefined) => void): void {
  let first: Buffer | undefined;
  let chunks: Buffer[] | undefined;
  let size = 0;
  let isDone = false;
  const onData = (chunk: Buffer): void => {
    if (isDone) return;
    size += chunk.length;
    if (size > maxBytes) {
      isDone = true;
      req.off("data", onData);
      done(undefined);
    } else if (first === undefined) {
      first = chunk;
    } else {
      chunks ??= [first];
      chunks.push(chunk);
    }
  };
  req.on("data", onData);
  req.on("end", () => {
    if (isDone) return;
    isDone = true;
    done(chunks === undefined ? (first ?? EMPTY) : Buffer.concat(chunks, size));
  });
}

const EMPTY = Buffer.alloc(0);

function decode(
  raw: Buffer,
  { encoding, maxBytes }: { encoding: BodyEncoding; maxBytes: number },
  done: (result: BodyResult) => void,
): void {
  if (encoding === "identity") {
    done({ body: raw });
    return;
  }
  decodeBody(raw, { encoding, maxBytes }, (decoded) => {
    if (decoded.kind === "body") done({ body: decoded.body });
    else if (decoded.kind === "too-large") done({ refusal: tooLarge(maxBytes) });
    else if (decoded.kind === "too-wide") done({ refusal: tooWide(encoding, decoded.maxWindowBytes) });
    else {
      const message = `The request body is not valid ${encoding} data, as its content encoding says.`;
      done({ refusal: { code: "invalid_request", message } });
    }
  });
}
