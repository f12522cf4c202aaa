import { describe, expect, it } from "vitest";
import { scanForm } from "./scan-form";

const TYPE = "multipart/form-data; boundary=b0";

const field = (disposition: string, value: string): string => `Content-Disposition: ${disposition}\r\n\r\n${value}`;
const form = (...parts: string[]): string => `${parts.map((part) => `--b0\r\n${part}\r\n`).join("")}--b0--\r\n`;
const MODEL = field('form-data; name="model"', "m");
const FILE = field('form-data; name="file"; filename="a; name=\\"model\\".wav"', "sound\r\n--b\r\nmore");

function read(text: string): { model: string; at: string } | string | null {
  const body = Buffer.from(text, "latin1");
  const scan = scanForm(body, TYPE);
  if (scan.kind === "invalid") return scan.param;
  const { model, modelAt } = scan.fields;
  return { model, at: body.toString("latin1", modelAt.start, modelAt.end) };
}

describe("a form", () => {
  const readable: [string, string][] = [
    ["with the file first", form(FILE, MODEL)],
    ["with the file last", form(MODEL, FILE)],
    ["with an unquoted name, as some libraries write it", form(field("form-data; name=model", "m"), FILE)],
    ["with other headers and fields", form(`Content-Type: text/plain\r\n${MODEL}`, field('form-data; name="x"', ""))],
    ["with a part that has no name", form("\r\nnothing", MODEL)],
  ];
  it.each(readable)("%s names its model", (_name, text) => {
    expect(read(text)).toEqual({ model: "m", at: "m" });
  });

  const other = "Content-Disposition: form-data; name=";
  const doubtful: [string, string, string | null][] = [
    ["two models", form(MODEL, field('form-data; name="model"', "other")), "model"],
    ["a second model without quotes", form(MODEL, field("form-data; name=model", "other")), "model"],
    ["a second model with an escape in its name", form(MODEL, field('form-data; name="mo\\del"', "other")), "model"],
    ["a second model in a file", form(MODEL, field('form-data; name="model"; filename="x"', "other")), "model"],
    ["a model in a file alone", form(field('form-data; filename="x"; name="model"', "m")), "model"],
    ["a part of two names", form(MODEL, field('form-data; name="x"; name="model"', "other")), null],
    ["a name in the extended form", form(MODEL, field("form-data; name*=utf-8''model", "other")), null],
    ["a part with two dispositions", form(MODEL, `${other}"x"\r\n${other}"model"\r\n\r\nother`), null],
    ["a folded head", form(MODEL, field('form-data;\r\n name="model"', "other")), null],
    ["a bare line feed in a head", form(MODEL, `X: 1\n${field('form-data; name="model"', "other")}`), null],
    ["a space before the colon", form(MODEL, `Content-Disposition : form-data; name="model"\r\n\r\nother`), null],
    ["a quote left open", form(MODEL, field('form-data; name="model', "other")), null],
    ["a boundary after a bare line feed", form(`${MODEL}\n--b0\r\n${field('form-data; name="model"', "other")}`), null],
    ["a boundary in the middle of a line", form(`${MODEL} --b0\r\n`), null],
    ["parts behind its end", form(MODEL) + form(field('form-data; name="model"', "other")), null],
    ["no end", `--b0\r\n${MODEL}\r\n--b0\r\n${field('form-data; name="model"', "other")}`, null],
    ["a model too long to be a name", form(field('form-data; name="model"', "m".repeat(600))), "model"],
    ["no model", form(FILE), "model"],
    ["an empty model", form(field('form-data; name="model"', "")), "model"],
  ];
  it.each(doubtful)(
    "with %s is refused: its backend might read another one than is checked here",
    (_name, text, param) => {
      expect(read(text)).toBe(param);
    },
  );

  it("of 1000 parts is read, one of more is refused without reading on", () => {
    const more = (parts: number): string => form(MODEL, ...Array<string>(parts - 1).fill("\r\n"));
    expect(read(more(1000))).toEqual({ model: "m", at: "m" });
    expect(read(more(1001))).toBeNull();
    expect(read(`${more(1001)} and no end`)).toBeNull();
  });

  it("of another boundary than its type says is refused", () => {
    expect(scanForm(Buffer.from(form(MODEL)), "multipart/form-data; boundary=b1").kind).toBe("invalid");
    expect(scanForm(Buffer.from(form(MODEL)), "multipart/form-data").kind).toBe("invalid");
  });
});
