// Runs a Python program from standard input in Pyodide: node pyodide.mjs MODULES WHEEL.
import { readdirSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [modules, wheel] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${modules}/pyodide/pyodide.mjs`));

const numpyFolder = `${modules}/@emscripten-forge/numpy/pkg`;
const [numpy] = readdirSync(numpyFolder);

try {
  const python = await loadPyodide();
  const unpack = (file, format, options) => python.unpackArchive(new Uint8Array(readFileSync(file)), format, options);
  unpack(`${numpyFolder}/${numpy}`, "gztar", { extractDir: "/numpy" });
  python.runPython("import sys; sys.path.insert(0, '/numpy/lib/python3.11/site-packages')");
  unpack(wheel, "wheel");
  python.runPython(readFileSync(0, "utf8"));
} catch (error) {
  console.error(error.message); // the stack quotes megabytes of Pyodide
  process.exit(1);
}
