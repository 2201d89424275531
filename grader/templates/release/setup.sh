#!/usr/bin/env bash
# Gradescope runs this once, when it builds the image.
set -euo pipefail
root="${AUTOGRADER:-/autograder}"
export PIP_DISABLE_PIP_VERSION_CHECK=1

# Where a build of torch without CUDA is found; pip's default build is several gigabytes.
TORCH_INDEX_URL="${TORCH_INDEX_URL:-}"

"${PYTHON:-python3}" -m venv "$root/venv" || {
  apt-get update
  apt-get install -y python3-venv
  "${PYTHON:-python3}" -m venv "$root/venv"
}
if [ -n "$TORCH_INDEX_URL" ]; then "$root/venv/bin/pip" install --index-url "$TORCH_INDEX_URL" torch; fi
# PIP_OPTIONS is for trying this script without a network, such as: --no-index --no-deps
"$root/venv/bin/pip" install ${PIP_OPTIONS:-} "$root"/source/wheels/*.whl
# The answers are for the judge alone; learners' code runs as another user.
chmod -R go-rwx "$root/source" "$root"/venv/lib/python*/site-packages/grader/_course
