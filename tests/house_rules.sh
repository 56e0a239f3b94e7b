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
for file in broadphase/* narrowphase/* solver/* physics/* demo/* bench/* tests/* tests/package/* cmake/*; do
  case "$file" in
    *.cpp | *.h | *.inl) first='// SPDX-License-Identifier: MIT' ;;
    *.cmake | *.in | *CMakeLists.txt) first='# SPDX-License-Identifier: MIT' ;;
    *) continue ;;
  esac
  [ "$(head -n 1 "$file")" = "$first" ] || complain "$file: the first line must be: $first"
  lines=$(wc -l <"$file")
  case "$file" in
    tests/*) limit=600 ;;                     # a test file follows its source file, families of cases and all
    *) limit=420 ;;
  esac
  [ "$lines" -le "$limit" ] || complain "$file: $lines lines; the limit is about $limit"
done
# The kernels of the instruction sets are one source.
for file in broadphase/*.cpp narrowphase/*.cpp solver/*.cpp physics/*.cpp demo/*.cpp; do
  name=$(basename "$file" .cpp | sed 's/_kernel_.*/_kernel/')
  test=tests/$(dirname "$file")_${name}_test.cpp
  [ -e "$test" ] || complain "$file: has no test file $test"
done
for file in broadphase/* narrowphase/* solver/* physics/*; do
  sed 's,//.*,,' "$file" | grep -nE '\b(std::)?(sin|cos|tan|asin|acos|atan2?|exp2?|log(2|10)?|pow|cbrt|hypot|fma)\(' |
    sed "s,^,$file: libm function: ," | grep . && failed=1
  grep -nE 'unordered_(map|set)' "$file" | sed "s,^,$file: no fixed order: ," | grep . && failed=1
done
for document in README.md docs/*.md; do
  for link in $(grep -oE '\]\([^)#:]+\)' "$document" | sed 's/^](//; s/)$//'); do
    [ -e "$(dirname "$document")/$link" ] || complain "$document: dead link $link"
  done
done
exit $failed
