/** Writes the head of a request to a backend. */
import type { AttemptRequest } from "./attempt";

const NOT_IN_PATHS = /[^\x21-\x7e\x80-\xff]/;
const NOT_IN_VALUES = /[^\t\x20-\x7e\x80-\xff]/;

/** The head as latin1 text. Throws when a part of it would end its line early. */
export function requestHead({ method, path, headers, body }: AttemptRequest, host: string): string {
  if (NOT_IN_PATHS.test(path)) throw new Error("the path holds a character that may not stand there");
  let head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`;
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const value = headers[i + 1] as string;
    if (NOT_IN_VALUES.test(value))
      throw new Error(`the header ${headers[i]} holds a character that may not stand there`);
    head += `${headers[i]}: ${value}\r\n`;
  }
  return method === "GET" ? `${head}\r\n` : `${head}content-length: ${body?.length ?? 0}\r\n\r\n`;
}
