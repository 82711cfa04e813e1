#!/bin/sh
# Installs Debian's Chromium for the browser tests where it is missing; needs root or sudo.
# The headless shell is the same engine without windows, which opens a page in a third of the time.
set -eu
if command -v chromium-headless-shell >/dev/null; then
    exit 0
fi
as_root=""
if [ "$(id -u)" -ne 0 ]; then
    as_root="sudo"
fi
$as_root apt-get update -q &&
    $as_root apt-get install -q -y --no-install-recommends chromium-headless-shell fonts-dejavu-core && exit 0
for name in chromium chromium-browser google-chrome; do
    if command -v "$name" >/dev/null; then
        exit 0
    fi
done
exit 1
