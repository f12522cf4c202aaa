/** The library that sets the clocks of single processes in end-to-end tests. */
import { existsSync } from "node:fs";
import { Refusal } from "../launch/refusal.mjs";
import { installByApt } from "./services";

const PLACES = [
  "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1",
  "/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1",
  "/usr/lib/faketime/libfaketime.so.1",
  "/usr/lib64/faketime/libfaketime.so.1",
];

/** What FAKETIME_LIB names, else where distributions put it, else installed by apt where that is possible. */
export function findFaketime(): string {
  const given = process.env.FAKETIME_LIB;
  if (given !== undefined && given !== "") return given;
  const find = () => PLACES.find((place) => existsSync(place));
  const found = find() ?? (installByApt("faketime") ? find() : undefined);
  if (found === undefined) {
    throw new Refusal("The end-to-end tests need libfaketime: install faketime, or name the library in FAKETIME_LIB.");
  }
  return found;
}
