#!/bin/sh
# SPDX-License-Identifier: MIT
# determinism.sh ["COMPILER FLAGS"...]: builds the library in each of these ways and checks that all builds compute the
# hashes of golden_hashes.json, with each kernel that the machine can run and 1 to 4 threads. Without arguments: g++ and
# clang++ at -O1, -O2 and, for the machine's own instruction set, -O3. Plain -O3 is the release build: its tests
# golden_hashes.* do the same.
set -eu
source=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

sets=baseline
if grep -qw avx2 /proc/cpuinfo 2>/dev/null; then sets="$sets avx2"; fi
if grep -qw avx512vl /proc/cpuinfo 2>/dev/null; then sets="$sets avx512"; fi

[ $# -gt 0 ] || set -- "g++ -O1" "g++ -O2" "g++ -O3 -march=native" "clang++ -O1" "clang++ -O2" "clang++ -O3 -march=native"
for way in "$@"; do
  compiler=${way%% *}
  flags=${way#* }
  build="$work/build"
  rm -rf "$build"
  # No build type: these flags and no others.
  if ! { cmake -G Ninja -S "$source" -B "$build" "-DCMAKE_CXX_COMPILER=$compiler" "-DCMAKE_CXX_FLAGS=$flags" \
    -DCMAKE_BUILD_TYPE=None -DSUNDER_BUILD_TESTS=OFF &&
    cmake --build "$build" --target golden_hashes; } >"$work/log" 2>&1; then
    cat "$work/log" >&2
    echo "$compiler $flags: the build failed" >&2
    failed=1
    continue
  fi
  for set in $sets; do
    printf '%s %s, %s: ' "$compiler" "$flags" "$set"
    SUNDER_INSTRUCTION_SET=$set "$build/golden_hashes" "$source/tests/golden_hashes.json" || failed=1
  done
done
exit $failed
