#!/usr/bin/env bash
# Grades a mistaken and a correct submission of `attention` and says where the HTML reports lie. Needs $BIN, the folder of `grader`.
set -euo pipefail
cd "$(dirname "$0")/../.."
mkdir -p .demo

for which in mistaken correct; do
  file=tests/demo/$which/attention.py
  echo "\$ grader check $file"
  echo
  "$BIN/grader" check "$file" --report text --report "html=.demo/$which.html" && code=0 || code=$?
  # 1 is a score that was not reached: it is what the mistaken one has to show. Anything above is trouble of ours.
  if [ "$code" -gt 1 ]; then exit "$code"; fi
  echo
  echo "exit code $code; the same as one HTML file: .demo/$which.html"
  echo
done
