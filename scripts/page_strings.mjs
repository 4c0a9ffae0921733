// Prints what users can read in the page's sources: [file, line, text] as one line of JSON each.
// `node scripts/page_strings.mjs FRONTEND`: strings, templates and JSX text of src and e2e, read
// by TypeScript's own parser; not what is generated, nor unit tests, names and imports.
import { globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const folder = resolve(process.argv[2]);
const own = fileURLToPath(new URL("../frontend/package.json", import.meta.url));
const ts = createRequire(own)("typescript");

/** Constants of the code, names, and functions whose text is no whole number. */
const NO_COUNT = /^([A-Z][A-Z0-9_]*|\w*[nN]ame|title|percent|formatPercent)$/;

/** A mark for what is put there: `{}` for what may be a count, `{.}` for the rest. */
function mark(expression) {
  const value = ts.isCallExpression(expression) ? expression.expression : expression;
  const name = ts.isPropertyAccessExpression(value) ? value.name : value;
  return ts.isIdentifier(name) && NO_COUNT.test(name.text) ? "{.}" : "{}";
}

/** What is put right before a text of JSX, as in `<p>{count} records</p>`. */
function markBefore(node) {
  const siblings = node.parent.children ?? [];
  const before = siblings[siblings.indexOf(node) - 1];
  const isValue = before !== undefined && ts.isJsxExpression(before);
  return isValue && before.expression !== undefined && !ts.isStringLiteral(before.expression)
    ? mark(before.expression)
    : "";
}

function textOf(node) {
  if (ts.isTemplateExpression(node)) {
    const spans = node.templateSpans.map(
      ({ expression, literal }) => mark(expression) + literal.text,
    );
    return node.head.text + spans.join("");
  }
  if (ts.isJsxText(node)) {
    return node.text.trim() === "" ? "" : markBefore(node) + node.text;
  }
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) {
    return node.text;
  }
  return "";
}

/** Imports, and titles of tests. */
function isSkipped(source, node) {
  const call = node.parent;
  return (
    ts.isImportDeclaration(node) ||
    ts.isExportDeclaration(node) ||
    (call !== undefined &&
      ts.isCallExpression(call) &&
      call.arguments[0] === node &&
      /^(test|it|describe)\b/.test(call.expression.getText(source)))
  );
}

function visit(file, source, node) {
  if (isSkipped(source, node)) {
    return;
  }
  const text = textOf(node).replace(/\s+/g, " ").trim();
  if (text !== "") {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
    console.log(JSON.stringify([file, line + 1, text]));
  }
  ts.forEachChild(node, (child) => visit(file, source, child));
}

const files = globSync(["src/**/*.{ts,tsx}", "e2e/**/*.ts"], { cwd: folder }).sort();
for (const file of files.map((name) => name.replaceAll("\\", "/"))) {
  if (file.startsWith("src/api/gen/") || /\.test\.tsx?$/.test(file)) {
    continue;
  }
  const kind = file.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const text = readFileSync(join(folder, file), "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind);
  visit(file, source, source);
}
