/** The parser of backends' answers beside Node's own: it reads what it should, and nothing that Node reads otherwise. */
import { request } from "node:http";
import { Duplex } from "node:stream";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BadAnswer } from "./answer-head";
import { AnswerParser } from "./answer-parser";

interface Answer {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string;
}

/** What our parser makes of bytes that come in these pieces and then end; null when it refuses them. */
function read(pieces: readonly Buffer[]): (Answer & { readonly rest: number }) | null {
  const parser = new AnswerParser();
  const body: Buffer[] = [];
  let rest = 0;
  try {
    for (const piece of pieces) {
      if (parser.isDone) {
        rest += piece.length;
        continue;
      }
      const taken = parser.push(piece);
      rest += piece.length - taken;
      body.push(parser.takeBody() ?? Buffer.alloc(0));
    }
  } catch (error) {
    if (error instanceof BadAnswer) return null;
    throw error;
  }
  if (!parser.close()) return null;
  return { status: parser.status, headers: parser.headers, body: Buffer.concat(body).toString("latin1"), rest };
}

/** What Node's client makes of them; null when it refuses them. */
function readByNode(bytes: Buffer): Promise<Answer | null> {
  const connection = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  return new Promise((resolve) => {
    const sent = request({ method: "POST", createConnection: () => connection }, (answer) => {
      const body: Buffer[] = [];
      answer.on("data", (piece: Buffer) => body.push(piece));
      answer.on("error", () => resolve(null));
      answer.on("end", () => {
        const { statusCode = 0, rawHeaders } = answer;
        resolve({ status: statusCode, headers: rawHeaders, body: Buffer.concat(body).toString("latin1") });
      });
    });
    sent.on("error", () => resolve(null)).on("upgrade", () => resolve(null));
    sent.end();
    connection.push(bytes);
    connection.push(null);
  });
}

const name = fc.stringMatching(/^x-[a-zA-Z0-9!#$%&'*+.^_`|~-]{0,12}$/);
const value = fc.stringMatching(/^([!-~\x80-\xff]([\t !-~\x80-\xff]{0,20}[!-~\x80-\xff])?)?$/);
const content = fc.string({
  unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
  maxLength: 300,
});
const framing = fc.constantFrom("length", "chunked", "close", "none");

interface Parts {
  readonly status: number;
  readonly reason: string;
  readonly headers: readonly [string, string][];
  readonly body: string;
  readonly framing: string;
  readonly isEarlyHint: boolean;
  readonly sizes: readonly number[];
  readonly extension: string;
  readonly trailer: string;
}

const wellFormed: fc.Arbitrary<Parts> = fc
  .record({
    status: fc.constantFrom(200, 201, 299, 400, 429, 503),
    reason: fc.constantFrom("", " ", " OK", " Too Many"),
    headers: fc.array(fc.tuple(name, value), { maxLength: 5 }),
    body: content,
    framing,
    isEarlyHint: fc.boolean(),
    sizes: fc.array(fc.integer({ min: 1, max: 90 }), { maxLength: 6 }),
    extension: fc.constantFrom("", ";a=b", ';q="x y"'),
    trailer: fc.constantFrom("", "x-end: 1\r\n"),
  })
  .map((parts) => ({ ...parts, status: parts.framing === "none" ? 204 : parts.status }));

/** Without what stands between chunks and is passed over: Node refuses more of that, and it frames nothing. */
const plainlyFramed = wellFormed.map((parts) => ({ ...parts, extension: "", trailer: "" }));

function bytesOf(parts: Parts): { bytes: Buffer; answer: Answer } {
  const frame: Record<string, readonly (readonly [string, string])[]> = {
    length: [["Content-Length", String(parts.body.length)]],
    chunked: [["transfer-encoding", "Chunked"]],
  };
  const headers = [...parts.headers, ...(frame[parts.framing] ?? [])];
  const lines = headers.map(([key, text]) => `${key}:  ${text} \r\n`).join("");
  const head = `HTTP/1.1 ${parts.status}${parts.reason}\r\n${lines}\r\n`;
  const hint = parts.isEarlyHint ? "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n" : "";
  const body = parts.framing === "none" ? "" : parts.body;
  const framed = parts.framing === "chunked" ? chunksOf(parts) : body;
  return {
    bytes: Buffer.from(hint + head + framed, "latin1"),
    answer: { status: parts.status, headers: headers.flat(), body },
  };
}

function chunksOf({ body, sizes, extension, trailer }: Parts): string {
  let text = "";
  let at = 0;
  for (const size of [...sizes, body.length]) {
    const piece = body.slice(at, at + size);
    at += piece.length;
    if (piece.length > 0) text += `${piece.length.toString(16)}${extension}\r\n${piece}\r\n`;
  }
  return `${text}000\r\n${trailer}\r\n`;
}

function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...sorted].map((from, i) => bytes.subarray(from, sorted[i] ?? bytes.length));
}

describe("an answer", () => {
  it("is read as it was written, however it is framed and wherever it is cut", () => {
    fc.assert(
      fc.property(wellFormed, fc.array(fc.nat(), { maxLength: 8 }), (parts, places) => {
        const { bytes, answer } = bytesOf(parts);
        expect(read(cut(bytes, places))).toEqual({ ...answer, rest: 0 });
        expect(read([...bytes].map((byte) => Buffer.from([byte])))).toEqual({ ...answer, rest: 0 });
      }),
      { numRuns: 500 },
    );
  });

  it("is refused, or read as Node reads it, with bytes changed, added or left out", async () => {
    const edit = fc.record({
      at: fc.nat(),
      text: fc.constantFrom(
        "\r",
        "\n",
        "\r\n",
        " ",
        "\t",
        "\0",
        ":",
        "0",
        "1",
        "f",
        "x",
        "-",
        ",",
        "\r\n ",
        "\x7f",
        "\xff",
      ),
      how: fc.constantFrom("change", "insert", "remove"),
    });
    await fc.assert(
      fc.asyncProperty(plainlyFramed, fc.array(edit, { minLength: 1, maxLength: 2 }), async (parts, edits) => {
        let { bytes } = bytesOf(parts);
        for (const { at, text, how } of edits) {
          const place = at % (bytes.length + 1);
          const middle = how === "remove" ? Buffer.alloc(0) : Buffer.from(text, "latin1");
          bytes = Buffer.concat([
            bytes.subarray(0, place),
            middle,
            bytes.subarray(how === "insert" ? place : place + 1),
          ]);
        }
        const ours = read([bytes]);
        // What stands behind an answer makes its connection unusable, not the answer.
        if (ours === null || ours.rest > 0) return;
        const { rest: _rest, ...answer } = ours;
        expect(answer).toEqual(await readByNode(bytes));
      }),
      { numRuns: 4000 },
    );
  });

  it.each([
    ["two lengths", "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 2\r\n\r\n{}"],
    ["a length and chunks", "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"],
    ["another coding", "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n"],
    ["a folded header", "HTTP/1.1 200 OK\r\nx: a\r\n b\r\ncontent-length: 0\r\n\r\n"],
    ["white space before a colon", "HTTP/1.1 200 OK\r\ncontent-length : 0\r\n\r\n"],
    ["bare line feeds", "HTTP/1.1 200 OK\ncontent-length: 0\n\n"],
    ["chunks in HTTP/1.0", "HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"],
    ["another protocol", "HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n"],
    ["a head that is too long", `HTTP/1.1 200 OK\r\nx: ${"a".repeat(70_000)}`],
    ["a chunk's size that is too long", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0000000000001\r\n"],
    ["an extension without end", `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;${"a".repeat(2000)}`],
    ["a trailer without end", `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\nx: ${"a".repeat(70_000)}`],
  ])("with %s is none", (_name, text) => {
    expect(read([Buffer.from(text, "latin1")])).toBeNull();
    const bytes = Buffer.from(text, "latin1");
    expect(
      read(
        cut(
          bytes,
          Array.from({ length: 2000 }, (_, i) => (i < 1000 ? i : i * 40)),
        ),
      ),
    ).toBeNull();
  });

  it("says whether its connection may be kept, and for how long", () => {
    const keeps = (head: string): [boolean, number | null] => {
      const parser = new AnswerParser();
      parser.push(Buffer.from(`${head}\r\n\r\n`));
      return [parser.keepsAlive, parser.keepAliveMs];
    };
    expect(keeps("HTTP/1.1 200 OK\r\ncontent-length: 0")).toEqual([true, null]);
    expect(keeps("HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: x, Close")).toEqual([false, null]);
    expect(keeps("HTTP/1.1 200 OK\r\ncontent-length: 0\r\nkeep-alive: max=3, timeout=5")).toEqual([true, 5000]);
    expect(keeps("HTTP/1.0 200 OK\r\ncontent-length: 0")).toEqual([false, null]);
    expect(keeps("HTTP/1.0 200 OK\r\ncontent-length: 0\r\nconnection: keep-alive")).toEqual([true, null]);
    expect(keeps("HTTP/1.1 200 OK")).toEqual([false, null]);
  });
});
