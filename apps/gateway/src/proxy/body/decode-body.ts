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
import { MAX_WINDOW_BYTES, zstdPlan } from "./zstd-frames";

export const BODY_ENCODINGS = ["identity", "gzip", "br", "zstd", "deflate"] as const;
export type BodyEncoding = (typeof BODY_ENCODINGS)[number];

export type DecodedBody =
  | { readonly kind: "body"; readonly body: Buffer }
  | { readonly kind: "too-large" }
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

/** Calls `done` once, never before it returns. */
export function decodeBody(
  encoded: Buffer,
  { encoding, maxBytes }: { encoding: Exclude<BodyEncoding, "identity">; maxBytes: number },
  done: (decoded: DecodedBody) => void,
): void {
  if (encoding === "zstd") decodeZstd(encoded, maxBytes, done);
  else decodeWithZlib(zlibDecoder(encoding, encoded), { encoded, maxBytes }, done);
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
  { encoded, maxBytes }: { encoded: Buffer; maxBytes: number },
  done: (decoded: DecodedBody) => void,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  const finish = (decoded: DecodedBody): void => {
    decoder.removeAllListeners("data").removeAllListeners("end");
    decoder.removeAllListeners("error").on("error", () => {});
    decoder.destroy();
    done(decoded);
  };
  decoder.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxBytes) finish({ kind: "too-large" });
    else chunks.push(chunk);
  });
  decoder.on("end", () => finish({ kind: "body", body: Buffer.concat(chunks, size) }));
  decoder.on("error", () => finish({ kind: "corrupt" }));
  decoder.end(encoded);
}

class TooLarge extends Error {}

function decodeZstd(encoded: Buffer, maxBytes: number, done: (decoded: DecodedBody) => void): void {
  const plan = zstdPlan(encoded, maxBytes);
  if (plan.kind !== "pieces") {
    const isWide = plan.kind === "too-wide";
    setImmediate(done, isWide ? { kind: "too-wide", maxWindowBytes: MAX_WINDOW_BYTES } : { kind: "corrupt" });
    return;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  let isWhole = false;
  const decoder = new Decompress((chunk, final) => {
    size += chunk.length;
    if (size > maxBytes) throw new TooLarge();
    chunks.push(Buffer.from(chunk));
    isWhole ||= final === true;
  });
  const pieces = plan.ends.values();
  let offset = 0;
  const step = (): void => {
    const end = pieces.next().value ?? encoded.length;
    try {
      decoder.push(encoded.subarray(offset, end), end === encoded.length);
    } catch (error) {
      done(error instanceof TooLarge ? { kind: "too-large" } : { kind: "corrupt" });
      return;
    }
    offset = end;
    if (offset < encoded.length) setImmediate(step);
    else done(isWhole ? { kind: "body", body: Buffer.concat(chunks, size) } : { kind: "corrupt" });
  };
  setImmediate(step);
}
