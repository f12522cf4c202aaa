/** Fails when a document names a path that is not there: in a link, or in backticks when it looks like one of ours. */
import { existsSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./launch/environment.mjs";
import { readFiles, type SourceFile } from "./tidiness/source-files";

const LINK = /\]\(([^)\s]+)\)/g;
const QUOTED = /`([^`\s]+)`/g;
/** Made by running the product or its tools, so a clone has none of them. */
const MADE_LATER = /^\.obleth\b|(^|\/)(dist|node_modules|\.next|test-results)\b/;

const documents = readFiles(/\.md$/);
const missing = documents.flatMap((document) =>
  [...named(document)]
    .filter((one) => !isThere(document, one))
    .map((one) => `${document.path} names ${one}, which is not there`),
);
for (const line of missing) console.error(line);
console.log(`${documents.length} documents read, ${missing.length} paths missing`);
process.exitCode = missing.length === 0 && documents.length > 0 ? 0 : 1;

function named(document: SourceFile): Set<string> {
  const links = [...document.text.matchAll(LINK)].map((match) => match[1] ?? "");
  const quoted = [...document.text.matchAll(QUOTED)].map((match) => match[1] ?? "").filter(looksLikeOurs);
  const local = links.filter((link) => !/^([a-z]+:|#)/.test(link)).map((link) => link.replace(/#.*$/, ""));
  return new Set([...local, ...quoted].filter((one) => !MADE_LATER.test(one)));
}

function looksLikeOurs(text: string): boolean {
  return /^(apps|packages|docs|scripts|e2e|drizzle|deploy|biome|src|test|lua)\/[\w./-]+$/.test(text);
}

/** Relative to the document, to a package that it speaks of, or to the root. */
function isThere(document: SourceFile, one: string): boolean {
  const packages = document.text.match(/\b(apps|packages)\/[\w-]+/g) ?? [];
  const bases = [path.dirname(document.path), ".", ...packages];
  return bases.some((base) => existsSync(path.join(ROOT, base, one)));
}
