#!/bin/sh
# SPDX-License-Identifier: MIT
# abi_symbols.sh ARCHIVE: no weak function of the archive may round. The linker keeps one copy of a weak function per
# program, and it may be the user's, compiled with the user's flags; then the library's results would depend on them.
# Looks for scalar and packed SSE, AVX and FMA arithmetic in the code of each weak symbol (x86-64 only).
set -eu
objdump -d --no-show-raw-insn "$1" >/dev/null  # fails here when the archive can't be read
weak=$(mktemp)
trap 'rm -f "$weak"' EXIT
nm "$1" | awk 'NF == 3 && ($2 == "W" || $2 == "V") {print $3}' | sort -u >"$weak"
# The self-check: this archive must hold code, or nothing was looked at.
[ "$(nm "$1" | awk 'NF == 3 && $2 == "T"' | wc -l)" -ge 50 ] || {
  echo "$1: hardly any code in it" >&2
  exit 1
}
objdump -d --no-show-raw-insn "$1" | awk -v list="$weak" '
  BEGIN { while ((getline name < list) > 0) weak[name] = 1 }
  /^[0-9a-f]+ <.*>:$/ { name = $2; sub(/^</, "", name); sub(/>:$/, "", name); next }
  (name in weak) && $2 ~ /^v?(add|sub|mul|div|sqrt|hadd|hsub|addsub|dp|fn?m(add|sub)[0-9]*|cvtsd2s|cvtpd2p)(s|p)?[sd]$/ {
    if (!(name in seen)) { seen[name] = 1; print name }
  }' | c++filt | sort | awk '{ print "weak function that rounds: " $0 } END { exit NR > 0 }'
# Code for a wider instruction set must not leak either: a weak function of such a file could be the one copy that the
# program uses on a machine without that instruction set.
wide=$(nm -A "$1" | awk -F: '$2 ~ /_avx(2|512)/ && $3 ~ / [WV] / {print $3}' | grep -v ' DW\.ref\.' || true)
if [ -n "$wide" ]; then
  echo "weak symbols in a file of wide code: $wide" >&2
  exit 1
fi
# And nothing may be fused, in the files for wider instruction sets neither: the baseline has no such instruction.
fused=$(objdump -d --no-show-raw-insn "$1" | awk '/^[0-9a-f]+ <.*>:$/ { name = $2; next } $2 ~ /^vfn?m(add|sub)/ { print name }' | sort -u)
if [ -n "$fused" ]; then
  echo "functions with FMA instructions: $fused" >&2
  exit 1
fi
echo "$(wc -l <"$weak") weak symbols, none of them rounds"
