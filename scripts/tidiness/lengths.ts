/** How long files and functions are, and how much functions ask for. */
import ts from "typescript";
import { isTest, type SourceFile } from "./source-files";

/** Past this a reader would look for two things in a file. */
const FILE_LIMIT = 400;
/** A test file is a list; its length says less. */
const TEST_FILE_LIMIT = 600;
const FUNCTION_LIMIT = 70;
/** Markup is a list of what is on the page; cutting it by length alone hides what belongs together. */
const MARKUP_FUNCTION_LIMIT = 110;

/** Functions that are one long table by nature, with the reason. */
const LONG_FUNCTIONS: Readonly<Record<string, string>> = {
  "apps/dashboard/src/features/overview/logic/attention.ts attentionWords": "one case per kind of notice",
};

/** Of more, nobody remembers the order. */
const PARAMETER_LIMIT = 3;

/** Functions that take more by nature, with the reason. */
const MANY_PARAMETERS: Readonly<Record<string, string>> = {
  "packages/cluster/src/slots/slot-table.ts #operate": "one step of a call: what, by whom, on which part, when",
  "packages/cluster/src/slots/slot-table.ts #claim": "the same",
};

export interface FunctionLength {
  readonly path: string;
  readonly name: string;
  readonly lines: number;
  /** Of functions, methods and constructors; what a callback takes is its caller's affair, and counts as none. */
  readonly parameters: number;
}

export function tooManyParameters(functions: readonly FunctionLength[]): string[] {
  return functions
    .filter((one) => one.parameters > PARAMETER_LIMIT && !(`${one.path} ${one.name}` in MANY_PARAMETERS))
    .map(({ path, name, parameters }) => `${path}: ${name} takes ${parameters} parameters; put some into one object`);
}

export function tooLong(files: readonly SourceFile[], functions: readonly FunctionLength[]): string[] {
  const longFiles = files
    .filter((file) => file.lines > (isTest(file.path) ? TEST_FILE_LIMIT : FILE_LIMIT))
    .map((file) => `${file.path} has ${file.lines} lines; split it where a reader would look for two things`);
  const longFunctions = functions
    .filter((one) => one.lines > limitOf(one.path) && !(`${one.path} ${one.name}` in LONG_FUNCTIONS))
    .map((one) => `${one.path}: ${one.name} has ${one.lines} lines, at most ${limitOf(one.path)}`);
  return [...longFiles, ...longFunctions];
}

function limitOf(file: string): number {
  return file.endsWith("x") ? MARKUP_FUNCTION_LIMIT : FUNCTION_LIMIT;
}

/** Every function of `file` with the lines from its first to its last, nested ones counted for themselves too. */
export function functionLengths(file: SourceFile): FunctionLength[] {
  const kind = file.path.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const source = ts.createSourceFile(file.path, file.text, ts.ScriptTarget.Latest, true, kind);
  const found: FunctionLength[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isFunctionLike(node) && "body" in node && node.body !== undefined) {
      const first = source.getLineAndCharacterOfPosition(node.getStart()).line;
      const last = source.getLineAndCharacterOfPosition(node.end).line;
      const isNamed =
        ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isConstructorDeclaration(node);
      const parameters = isNamed ? node.parameters.length : 0;
      found.push({ path: file.path, name: nameOf(node), lines: last - first + 1, parameters });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function nameOf(node: ts.SignatureDeclaration): string {
  if (node.name !== undefined) return node.name.getText();
  if (ts.isConstructorDeclaration(node)) return `the constructor of ${node.parent.name?.getText() ?? "a class"}`;
  const { parent } = node;
  return ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) ? parent.name.getText() : "a function";
}

/** One line per area: how many files, how long, how much of it comments, how much test beside it. */
export function lengthTable(files: readonly SourceFile[], functions: readonly FunctionLength[]): string[] {
  const areas = [...new Set(files.map((file) => areaOf(file.path)))].sort();
  const rows = areas.map((area) => {
    const inArea = files.filter((file) => areaOf(file.path) === area);
    const source = inArea.filter((file) => !isTest(file.path));
    const lengths = source.map((file) => file.lines);
    const functionLines = functions.filter((one) => areaOf(one.path) === area).map((one) => one.lines);
    const sum = (list: readonly SourceFile[]) => list.reduce((total, file) => total + file.lines, 0);
    return [
      area,
      String(source.length),
      String(quantile(lengths, 0.5)),
      String(quantile(lengths, 1)),
      String(quantile(functionLines, 0.9)),
      String(quantile(functionLines, 1)),
      `${Math.round((100 * source.reduce((n, file) => n + commentLines(file), 0)) / Math.max(1, sum(source)))} %`,
      (sum(inArea.filter((file) => isTest(file.path))) / Math.max(1, sum(source))).toFixed(2),
    ];
  });
  const head = ["area", "files", "median", "longest", "fn p90", "fn max", "comments", "test/source"];
  return [head, ...rows].map((row) => row.map((cell, i) => (i === 0 ? cell.padEnd(24) : cell.padStart(13))).join(""));
}

function areaOf(file: string): string {
  const parts = file.split("/");
  return parts[0] === "apps" || parts[0] === "packages" ? parts.slice(0, 2).join("/") : (parts[0] ?? "");
}

function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0;
}

function commentLines(file: SourceFile): number {
  return file.text.split("\n").filter((line) => /^\s*(\/\/|\/?\*)/.test(line)).length;
}
