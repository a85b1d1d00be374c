#!/bin/sh
# What other people's configurations make of Rondo: their flags, their generators, their copies of
# the sources. Configured only, with the libraries alone: building each would take minutes.
#   configure_test.sh CMAKE CC CXX SOURCE_DIR XNNPACK PTHREADPOOL FXDIV
# The last three are folders with those sources.
set -eu
cmake=$1 cc=$2 cxx=$3 source=$4 xnnpack=$5 pthreadpool=$6 fxdiv=$7
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# What an earlier configuration left in the cache folder is not here.
export XDG_CACHE_HOME="$work/cache"

fail() {
  echo "$*" >&2
  exit 1
}
# configure NAME ARGUMENT...: into $work/NAME; what it says is in $work/log.
configure() {
  name=$1
  shift
  (cd "$source" && "$cmake" -B "$work/$name" -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" \
    -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "$@") >"$work/log" 2>&1
}
configured() {
  configure "$@" || {
    cat "$work/log" >&2
    fail "$1: it is not configured"
  }
}
# Each file by itself, so that its flags are seen.
libraries='-DRONDO_TOOLS=OFF -DRONDO_TESTS=OFF -DRONDO_UNITY=OFF'
copies="-DFETCHCONTENT_SOURCE_DIR_RONDO_XNNPACK=$xnnpack
  -DFETCHCONTENT_SOURCE_DIR_RONDO_PTHREADPOOL=$pthreadpool
  -DFETCHCONTENT_SOURCE_DIR_RONDO_FXDIV=$fxdiv"
# commands NAME FILE [CONFIGURATION]: how FILE is compiled.
commands() {
  grep '"command":' "$work/$1/compile_commands.json" | grep -- " -c .*/$2\"" |
    grep -- "CMakeFiles/[a-z_]*\.dir/${3:+$3/}"
}
# expect NAME FILE CONFIGURATION WITH WITHOUT: words in that command, each with a space before it.
expect() {
  command=$(commands "$1" "$2" "$3") || fail "$1: $2 is not compiled in $3"
  for word in $4; do
    case "$command" in
      *" $word "*) ;;
      *) fail "$1: $2 has no $word in ${3:-its configuration}: $command" ;;
    esac
  done
  for word in $5; do
    case "$command" in
      *" $word "*) fail "$1: $2 has $word in ${3:-its configuration}: $command" ;;
    esac
  done
}
loops='runtime/kernels/row_loops_baseline.cc'

# Their flags stand, and loops are vectorised wherever they ask for optimised code.
# shellcheck disable=SC2086  # lists of words
for type in Release RelWithDebInfo MinSizeRel None Debug; do
  flags='-g0 -O1 -Dtheirs' variable=CMAKE_CXX_FLAGS_$(echo $type | tr '[:lower:]' '[:upper:]')
  case $type in
    None) variable=CMAKE_CXX_FLAGS ;;
    Debug) flags='-g0 -Og -Dtheirs' ;;
  esac
  configured $type -G Ninja $libraries $copies -DCMAKE_BUILD_TYPE=$type "-D$variable=$flags"
  expect $type c_api/session.cc '' "$flags" '-Werror -O0 -O2 -O3 -g -g1'
  case $type in
    Debug) expect $type $loops '' "$flags" -O3 ;;
    *) expect $type $loops '' "$flags -O3" -Werror ;;
  esac
done
echo "flags: theirs"

# One build folder for several configurations, each with an archive of its own.
# shellcheck disable=SC2086
configured multi -G 'Ninja Multi-Config' $libraries $copies -DCMAKE_CXX_FLAGS_DEBUG=-g \
  '-DCMAKE_CONFIGURATION_TYPES=Debug;Release;RelWithDebInfo;MinSizeRel'
expect multi $loops Debug -g '-O2 -O3 -Os'
for type in Release RelWithDebInfo MinSizeRel; do
  expect multi $loops $type -O3 -Werror
  grep -q "archive/$type/librondo.a: CUSTOM_COMMAND" "$work/multi/CMakeFiles/impl-$type.ninja" ||
    fail "multi: $type has no archive of its own"
done
echo "Ninja Multi-Config: works"

# The preset for people who want the libraries: no program, no tests, no errors out of warnings.
# shellcheck disable=SC2086
configured library --preset library $copies
expect library $loops '' -O3 -Werror
! commands library 'tools/[a-z_/]*\.cc' || fail "library: the program is built"
! commands library 'tests/[a-z_/]*\.cc' || fail "library: tests are built"
echo "preset library: the libraries alone"

# Without copies nothing is downloaded, and it says what to do.
# shellcheck disable=SC2086
! configure none -G Ninja $libraries || fail "none: it is configured, with sources from where?"
grep -q -e '-DRONDO_DOWNLOAD=ON' "$work/log" || fail "none: it says $(cat "$work/log")"
test ! -e "$work/cache/rondo" || fail "none: it downloaded into the cache: $(ls "$work/cache/rondo")"
test ! -e "$work/none/_deps" || fail "none: it downloaded: $(ls "$work/none/_deps")"

# A copy that others use is taken where it is the revision, one that is named for Rondo must be it.
mkdir "$work/sources"
cp -R "$fxdiv" "$work/sources/fxdiv"
ln -s "$xnnpack" "$work/sources/xnnpack"
ln -s "$pthreadpool" "$work/sources/pthreadpool"
# shellcheck disable=SC2086
configured folder -G Ninja $libraries -DRONDO_THIRD_PARTY_DIR="$work/sources"
# shellcheck disable=SC2086
configured others -G Ninja $libraries -DFETCHCONTENT_SOURCE_DIR_XNNPACK="$xnnpack" \
  -DFETCHCONTENT_SOURCE_DIR_PTHREADPOOL="$pthreadpool" -DFETCHCONTENT_SOURCE_DIR_FXDIV="$fxdiv"
echo '/* changed */' >>"$work/sources/fxdiv/include/fxdiv.h"
for changed in "-DRONDO_THIRD_PARTY_DIR=$work/sources" \
  "$copies -DFETCHCONTENT_SOURCE_DIR_RONDO_FXDIV=$work/sources/fxdiv"; do
  # shellcheck disable=SC2086
  ! configure changed -G Ninja $libraries $changed || fail "changed: $changed is taken"
  tr -s ' \n' ' ' <"$work/log" | grep -q "$work/sources/fxdiv are another revision" ||
    fail "changed: it says $(cat "$work/log")"
  rm -rf "$work/changed"
done
# shellcheck disable=SC2086
! configure changed -G Ninja $libraries -DFETCHCONTENT_SOURCE_DIR_XNNPACK="$xnnpack" \
  -DFETCHCONTENT_SOURCE_DIR_PTHREADPOOL="$pthreadpool" \
  -DFETCHCONTENT_SOURCE_DIR_FXDIV="$work/sources/fxdiv" || fail "changed: the host's is taken"
echo "sources: nothing downloaded, revisions checked"
