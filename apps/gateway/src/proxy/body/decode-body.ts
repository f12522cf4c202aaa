/**
 * Undoes a request body's content coding, under the same size limit as a plain body: reading stops at the first byte
 * too many, so a small bomb stays small in memory.
 */

import type { Gunzip, Inflate, InflateRaw } from "node:zlib";
import {
  type BrotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
} from "node:zlib";
import { Decompress } from "fzstd";
import { GatheredBytes } from "../../gathered-bytes";
import type { BodyHold } from "./body-memory";
import { MAX_WINDOW_BYTES, zstdPlan } from "./zstd-frames";

export const BODY_ENCODINGS = ["identity", "gzip", "br", "zstd", "deflate"] as const;
export type BodyEncoding = (typeof BODY_ENCODINGS)[number];

export type DecodedBody =
  | { readonly kind: "body"; readonly body: Buffer }
  | { readonly kind: "too-large" }
  /** The hold takes no more: the process is full, or nobody waits for the body any more. */
  | { readonly kind: "no-room" }
  /** Decoding it would cost far more than its length. */
  | { readonly kind: "too-wide"; readonly maxWindowBytes: number }
  | { readonly kind: "corrupt" };

/** The coding a header names; undefined for one, or a list of several, that is not supported. */
export function bodyEncoding(header: string | undefined): BodyEncoding | undefined {
  if (header === undefined) return "identity";
  const name = header.trim().toLowerCase();
  if (name === "" || name === "identity") return "identity";
  if (name === "x-gzip") return "gzip";
  return BODY_ENCODINGS.find((encoding) => encoding === name);
}

export interface DecodeLimits {
  /** Longest result, bytes. */
  readonly maxBytes: number;
  /** Counts what is held of the result: its length once it is done, nothing when there is none. */
  readonly hold: Pick<BodyHold, "take" | "giveBack">;
}

/** Calls `done` once, never before it returns. */
export function decodeBody(
  encoded: Buffer,
  options: DecodeLimits & { encoding: Exclude<BodyEncoding, "identity"> },
  done: (decoded: DecodedBody) => void,
): void {
  const { encoding } = options;
  const result = new DecodedBytes(options);
  if (encoding === "zstd") decodeZstd(encoded, { result, maxBytes: options.maxBytes }, done);
  else decodeWithZlib(zlibDecoder(encoding, encoded), { encoded, result }, done);
}

/** What has been decoded so far, under both limits. */
class DecodedBytes {
  readonly #bytes = new GatheredBytes();

  constructor(private readonly limits: DecodeLimits) {}

  /** Takes a piece, or says why not. */
  add(chunk: Buffer): "too-large" | "no-room" | null {
    if (this.#bytes.size + chunk.length > this.limits.maxBytes) return "too-large";
    if (!this.limits.hold.take(chunk.length)) return "no-room";
    this.#bytes.add(chunk);
    return null;
  }

  whole(): DecodedBody {
    return { kind: "body", body: this.#bytes.takeWhole() };
  }

  /** There is no result, for that reason. */
  none(kind: "too-large" | "no-room" | "corrupt"): DecodedBody {
    this.limits.hold.giveBack(this.#bytes.size);
    this.#bytes.drop();
    return { kind };
  }
}

type ZlibDecoder = Gunzip | Inflate | InflateRaw | BrotliDecompress;

function zlibDecoder(encoding: "gzip" | "br" | "deflate", encoded: Buffer): ZlibDecoder {
  if (encoding === "gzip") return createGunzip();
  if (encoding === "br") return createBrotliDecompress();
  // "deflate" means the zlib format, yet some clients send the bare stream; the first byte tells them apart.
  return ((encoded[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw();
}

function decodeWithZlib(
  decoder: ZlibDecoder,
  { encoded, result }: { encoded: Buffer; result: DecodedBytes },
  done: (decoded: DecodedBody) => void,
): void {
  const finish = (decoded: DecodedBody): void => {
    decoder.removeAllListeners("data").removeAllListeners("end");
    decoder.removeAllListeners("error").on("error", () => {});
    decoder.destroy();
    done(decoded);
  };
  decoder.on("data", (chunk: Buffer) => {
    const problem = result.add(chunk);
    if (problem !== null) finish(result.none(problem));
  });
  decoder.on("end", () => finish(result.whole()));
  decoder.on("error", () => finish(result.none("corrupt")));
  decoder.end(encoded);
}

class Stopped extends Error {
  constructor(readonly problem: "too-large" | "no-room") {
    super(problem);
  }
}

function decodeZstd(
  encoded: Buffer,
  { result, maxBytes }: { readonly result: DecodedBytes; readonly maxBytes: number },
  done: (decoded: DecodedBody) => void,
): void {
  const plan = zstdPlan(encoded, maxBytes);
  if (plan.kind !== "pieces") {
    const isWide = plan.kind === "too-wide";
    setImmediate(done, isWide ? { kind: "too-wide", maxWindowBytes: MAX_WINDOW_BYTES } : { kind: "corrupt" });
    return;
  }
  let isWhole = false;
  const decoder = new Decompress((chunk, final) => {
    const problem = result.add(Buffer.from(chunk));
    if (problem !== null) throw new Stopped(problem);
    isWhole ||= final === true;
  });
  const pieces = plan.ends.values();
  let offset = 0;
  const step = (): void => {
    const end = pieces.next().value ?? encoded.length;
    try {
      decoder.push(encoded.subarray(offset, end), end === encoded.length);
    } catch (error) {
      done(result.none(error instanceof Stopped ? error.problem : "corrupt"));
      return;
    }
    offset = end;
    if (offset < encoded.length) setImmediate(step);
    else done(isWhole ? result.whole() : result.none("corrupt"));
  };
  setImmediate(step);
}
