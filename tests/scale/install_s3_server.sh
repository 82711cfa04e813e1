#!/bin/sh
# Installs moto's S3 server for the tests of addresses, in an environment of its own: it needs older packages.
set -eu
cd "$(dirname "$0")/../.."
if [ ! -e .venv-s3/ready ]; then
    "${PYTHON:-python3}" -m venv .venv-s3
    .venv-s3/bin/python -m pip install --quiet --disable-pip-version-check 'moto[s3]>=5' flask flask-cors
    touch .venv-s3/ready
fi
