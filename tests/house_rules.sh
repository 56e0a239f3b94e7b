#!/bin/sh
# SPDX-License-Identifier: MIT
# Rules that no compiler checks: each source file says its licence and has its test file, none is longer than about 400
# lines, the library's sources use no libm function whose last bit differs between machines, and no link in the documents
# is dead.
set -eu
cd "$(dirname "$0")/.."
failed=0
complain() {
  echo "$1" >&2
  failed=1
}
# A test file follows its source file, families of cases and all: it may be longer.
found=$(find broadphase narrowphase solver physics demo bench tests cmake -name '*.cpp' -o -name '*.h' -o -name '*.inl' \
  -o -name '*.cmake' -o -name '*.in' -o -name CMakeLists.txt | sort | xargs awk '
  function judge() { if (lines > limit) print file ": " lines " lines; the limit is about " limit }
  FNR == 1 {
    judge()
    file = FILENAME
    limit = file ~ /^tests\// ? 600 : 420
    first = (file ~ /\.(cpp|h|inl)$/ ? "//" : "#") " SPDX-License-Identifier: MIT"
    if ($0 != first) print file ": the first line must be: " first
  }
  { lines = FNR }
  END { judge(); if (NR < 1000) print "hardly any source was found" }')
[ -z "$found" ] || complain "$found"
# The kernels of the instruction sets are one source.
for file in broadphase/*.cpp narrowphase/*.cpp solver/*.cpp physics/*.cpp demo/*.cpp; do
  name=${file##*/}
  name=${name%.cpp}
  case "$name" in *_kernel_*) name=${name%%_kernel_*}_kernel ;; esac
  test=tests/${file%%/*}_${name}_test.cpp
  [ -e "$test" ] || complain "$file: has no test file $test"
done
found=$(awk '
  { code = $0; sub(/\/\/.*/, "", code) }
  code ~ /(^|[^A-Za-z0-9_])(sin|cos|tan|asin|acos|atan2?|exp2?|log(2|10)?|pow|cbrt|hypot|fma)\(/ {
    print FILENAME ":" FNR ": libm function: " code
  }
  /unordered_(map|set)/ { print FILENAME ":" FNR ": no fixed order: " $0 }' \
  broadphase/* narrowphase/* solver/* physics/*)
[ -z "$found" ] || complain "$found"
for document in README.md docs/*.md; do
  for link in $(grep -oE '\]\([^)#:]+\)' "$document" | sed 's/^](//; s/)$//'); do
    [ -e "$(dirname "$document")/$link" ] || complain "$document: dead link $link"
  done
done
exit $failed
