import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countCharacters, JsonCursor, MalformedJson } from "./json-cursor";
import { scanCall } from "./scan-call";

function accepts(text: Buffer): boolean {
  const cursor = new JsonCursor(text);
  try {
    cursor.skipValue();
    return cursor.atEnd();
  } catch (error) {
    if (error instanceof MalformedJson) return false;
    throw error;
  }
}

function parses(text: Buffer): boolean {
  try {
    JSON.parse(text.toString("utf8"));
    return true;
  } catch {
    return false;
  }
}

describe("walking JSON in place", () => {
  it("accepts exactly what JSON.parse accepts, for any JSON with a byte changed, added or left out", () => {
    const edit = fc.record({
      at: fc.nat(),
      byte: fc.integer({ min: 0, max: 127 }),
      how: fc.constantFrom("keep", "change", "insert", "remove"),
    });
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), edit, (json, { at, byte, how }) => {
        const bytes = Buffer.from(json);
        const place = at % (bytes.length + 1);
        const tail = how === "insert" || how === "keep" ? place : place + 1;
        const middle = how === "change" || how === "insert" ? Buffer.from([byte]) : Buffer.alloc(0);
        const edited = how === "keep" ? bytes : Buffer.concat([bytes.subarray(0, place), middle, bytes.subarray(tail)]);
        // A byte order mark or cut character is the decoder's business, not the grammar's.
        fc.pre(!edited.toString("utf8").includes("\ufffd") && edited.length > 0);
        expect(accepts(edited)).toBe(parses(edited));
      }),
      { numRuns: 5000 },
    );
  });

  it("counts the characters a parser would see", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), fc.boolean(), (text, escapes) => {
        const json = escapes
          ? `"${[...text]
              .flatMap((c) => c.split(""))
              .map((u) => `\\u${u.charCodeAt(0).toString(16).padStart(4, "0")}`)
              .join("")}"`
          : JSON.stringify(text);
        const bytes = Buffer.from(json);
        expect(countCharacters(bytes, 1, bytes.length - 1)).toBe([...text].length);
      }),
    );
  });

  it("reads the same model, stream flag and limit as a parser, wherever they stand", () => {
    const other = fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 6 });
    fc.assert(
      fc.property(
        other,
        fc.string({ minLength: 1, maxLength: 40, unit: "grapheme" }),
        fc.boolean(),
        (rest, model, stream) => {
          const members = Object.entries(rest).filter(
            ([name]) => !["model", "stream", "max_tokens", "__proto__"].includes(name),
          );
          const body = Object.fromEntries([
            ...members.slice(0, 2),
            ["stream", stream],
            ...members.slice(2, 4),
            ["model", model],
            ...members.slice(4),
          ]);
          const scan = scanCall(Buffer.from(JSON.stringify(body, null, 1)));
          if (scan.kind === "invalid") throw new Error(scan.message);
          expect([scan.fields.model, scan.fields.stream]).toEqual([model, stream]);
        },
      ),
    );
  });

  it("never throws and always ends, for any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        scanCall(Buffer.from(bytes), { wantsSessionText: true });
      }),
      { numRuns: 3000 },
    );
  });
});
