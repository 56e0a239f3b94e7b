#!/bin/sh
# SPDX-License-Identifier: MIT
# check_instruction_counts.sh BUILD [--update]
# The speed of a step without the noise of a clock: counts, with callgrind, the instructions that World::step executes in
# the scenes of instruction_counts.json, and fails when one has grown by more than 3 %. A change that costs more on purpose
# runs this with --update and commits the new numbers with the reason. BUILD is the directory of a Release build with the
# `sunder` command. Each compiler has other counts: the stored ones hold for one version only.
# Exit code: 0 within bounds, 1 grown, 2 cannot be run, 77 not comparable here (skipped).
set -eu
if [ $# -lt 1 ] || [ $# -gt 2 ] || { [ $# -eq 2 ] && [ "$2" != --update ]; }; then
  echo "usage: check_instruction_counts.sh BUILD [--update]" >&2
  exit 2
fi
command=$1/sunder
update=${2-}
[ -x "$command" ] || { echo "$command: no such program" >&2; exit 2; }
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
build=$1
[ "$(cached CMAKE_BUILD_TYPE)" = Release ] || { echo "$build: not a Release build" >&2; exit 2; }
# Without the first word, which may be g++ or c++ for the same compiler.
compiler=$("$(cached CMAKE_CXX_COMPILER)" --version | sed -n '1s/^[^ ]* //p')
stored=$(cd "$(dirname "$0")" && pwd)/instruction_counts.json
limit=3 # percent; less is noise of a changed layout

command -v valgrind >/dev/null || { echo "valgrind is missing" >&2; exit 2; }
grep -qw avx2 /proc/cpuinfo || { echo "skipped: this machine has no AVX2, whose kernel is counted"; exit 77; }
expected=$(sed -n 's/.*"compiler": "\([^"]*\)".*/\1/p' "$stored")
if [ "$update" != --update ] && [ "$compiler" != "$expected" ]; then
  echo "skipped: the counts are those of $expected, this is $compiler"
  exit 77
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# count SCENE STEPS: instructions inside of World::step
count() {
  SUNDER_INSTRUCTION_SET=avx2 valgrind --tool=callgrind --callgrind-out-file="$work/out" \
    '--toggle-collect=sunder::World::step(double)' "$command" step "$1" --steps "$2" --sleep off --threads 1 --quiet \
    >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 2; }
  sed -n 's/^summary: //p' "$work/out"
}

failed=0
sed -n 's/.*"scene": "\([^"]*\)", "steps": \([0-9]*\), "instructions": \([0-9]*\).*/\1 \2 \3/p' "$stored" >"$work/scenes"
[ -s "$work/scenes" ] || { echo "$stored: no scenes" >&2; exit 2; }
while read -r scene steps before; do
  now=$(count "$scene" "$steps")
  [ "${now:-0}" -gt 0 ] || { echo "$scene: callgrind counted nothing inside of World::step" >&2; exit 2; }
  echo "$scene $steps $now" >>"$work/new"
  [ "$update" != --update ] || before=$now
  echo "$scene $before $now" | awk -v limit=$limit '{
    change = 100 * ($3 / $2 - 1)
    printf "%-10s %14d instructions, stored %14d: %+.2f %%\n", $1, $3, $2, change
    if (change < -limit) print "  faster: please store it (--update), or the gain can be lost unseen"
    exit change > limit }' || failed=1
done <"$work/scenes"

if [ "$update" = --update ]; then
  awk -v compiler="$compiler" '
    BEGIN { printf "{\n  \"compiler\": \"%s\",\n  \"counts\": [\n", compiler }
    { printf "%s    {\"scene\": \"%s\", \"steps\": %d, \"instructions\": %d}", (NR > 1 ? ",\n" : ""), $1, $2, $3 }
    END { printf "\n  ]\n}\n" }' "$work/new" >"$work/json"
  cp "$work/json" "$stored"
  echo "stored in $stored"
fi
[ $failed = 0 ] || echo "grown by more than $limit %: find out why, or store the new counts with --update and say why"
exit $failed
