#!/bin/sh
# Installs Debian's Java runtime for the tests of Spark where it is missing; needs root or sudo.
set -eu
if command -v java >/dev/null || [ -n "${JAVA_HOME:-}" ]; then
    exit 0
fi
as_root=""
if [ "$(id -u)" -ne 0 ]; then
    as_root="sudo"
fi
$as_root apt-get update -q
$as_root apt-get install -q -y --no-install-recommends default-jre-headless
