#!/bin/sh
# SPDX-License-Identifier: MIT
# check.sh BUILD_DIRECTORY: installs that build and uses it, and the source tree, from a project with other flags. All
# ways have to print the same hash.
set -eu
build=$(cd "$1" && pwd)
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
first=

# consumer NAME CMAKE_ARGUMENT...
consumer() {
  name=$1
  shift
  if cmake -G Ninja -S "$source/tests/package" -B "$work/$name" "$@" >"$work/log" 2>&1 &&
    cmake --build "$work/$name" >>"$work/log" 2>&1 && line=$("$work/$name/consumer"); then
    echo "$name: $line"
    : "${first:=$line}"
    if [ "$line" != "$first" ]; then
      echo "$name: the result differs from the first one" >&2
      failed=1
    fi
  else
    cat "$work/log" >&2
    echo "$name: FAILED" >&2
    failed=1
  fi
}

cmake --install "$build" --prefix "$work/prefix" >/dev/null
if find "$work/prefix" -name '*_internal.h' | grep .; then
  echo "an internal header was installed" >&2
  failed=1
fi

# Each public header, found in the source tree, is in the package and needs nothing that is not.
(cd "$source" && printf '#include <sunder/%s>\n' broadphase/*.h narrowphase/*.h solver/*.h physics/*.h) |
  grep -v '_internal\.h' >"$work/headers.cpp"

installed="-DCMAKE_PREFIX_PATH=$work/prefix"
consumer installed-plain "$installed" -DCMAKE_BUILD_TYPE=Release "-DSUNDER_ALL_HEADERS=$work/headers.cpp"
consumer installed-no-optimisation "$installed" -DCMAKE_CXX_FLAGS=-O0
consumer installed-native "$installed" "-DCMAKE_CXX_FLAGS=-O2 -march=native"
consumer installed-native-no-optimisation "$installed" "-DCMAKE_CXX_FLAGS=-O0 -march=native"
if command -v clang++ >/dev/null 2>&1; then
  consumer installed-clang "$installed" -DCMAKE_CXX_COMPILER=clang++ "-DCMAKE_CXX_FLAGS=-O1 -march=native"
fi
consumer added-native "-DSUNDER_SOURCE_DIR=$source" "-DCMAKE_CXX_FLAGS=-O3 -march=native"
consumer added-plain "-DSUNDER_SOURCE_DIR=$source" -DCMAKE_BUILD_TYPE=RelWithDebInfo
exit $failed
