#!/bin/sh
# Builds the unit and the model tests for other systems, and runs them in short on the model in
# tests/data: under Wine, qemu and node, or as they are where this machine can.
#   sh tests/elsewhere.sh              all of these
#   sh tests/elsewhere.sh TARGET...    these presets
# RONDO_LABELS=parts: only the tests that need no model, which are built in a third of the time.
# Installs what a target needs first (tools/install_packages.sh targets). One line for each target:
# how many tests passed, were skipped and failed, and the seconds. The exit code is 0 only where
# none failed. What is skipped says why: platforms/cmake/tests_left_out.cmake, or the test itself.
set -u
cd "$(dirname "$0")/.."
targets=${*:-linux-musl-x64 windows-x64 linux-armhf linux-riscv64 wasm32}
sh tools/install_packages.sh targets || exit 1
jobs=$(nproc 2>/dev/null || echo 2)
work=$PWD/build/elsewhere
mkdir -p "$work"
export WINEDEBUG=-all WINEPREFIX="${WINEPREFIX:-$work/wine}"

# Left out by GoogleTest's patterns, and why.
# Times and whole texts mean little where all is slow. How blocks are counted and what calibration
# finds show nothing of a system, and take minutes:
long='BenchCommand.*:ToolTest.Eval*:Bench.*:SessionsBench*:JinjaCost.*'
long="$long:*BlockTableTest.HoldsWhatItSays*:TinyCalibration.*:Models/Trained.*"
# Which kernels compute is nothing to the end of the context, nor to what is undone:
one_policy='*SessionHistory.RandomCalls*:*Schedules*_stop'
# Of all combinations, these show nothing more of another machine:
repeats='*RowInvariance*:*Schedules*_f32_*:*Speculation*_f32_*'
# The fast kernel sets go the same ways:
slow_kernels='*Schedules*_sse41_*:*Schedules*_scalar_*'
slow_kernels="$slow_kernels:*SnapshotTest*_sse41_*:*SnapshotTest*_scalar_*"
slow_kernels="$slow_kernels:*Speculation*_sse41_*:*Speculation*_scalar_*"
slow_kernels="$slow_kernels:*RowInvariance*/sse41*:*RowInvariance*/scalar*"
# qemu 7.2 cuts a 32-bit process's offsets in files to 32 bits (10.0 does not, and passes):
far='FileMapTest.MapsARangeBeyondFourGigabytes'
# What a process holds is, under an emulator, also what the emulator holds:
memory='ConvertTest.MemoryStaysSmall*'

one() {
  target=$1
  begun=$(date +%s)
  labels='unit|model'
  case $target in
    *-x64) tools=ON filter="$long:$slow_kernels" ;;
    wasm32) tools=OFF filter= labels=parts ;; # there is no converter
    *) tools=OFF filter="$long:$one_policy:$repeats:$memory" ;;
  esac
  [ "$target" != linux-armhf ] || filter="$filter:$far"
  [ -z "${RONDO_LABELS:-}" ] || labels=$RONDO_LABELS
  log=$work/$target.log
  programs=$(echo "$labels" | sed 's/[a-z]\{1,\}/rondo_&_tests/g; s/|/ /g')
  [ $tools = OFF ] || programs="$programs rondo_tools_unit_tests rondo_tools_model_tests"
  # shellcheck disable=SC2086  # words
  if ! cmake --preset "$target" -DRONDO_TESTS=ON -DRONDO_TEST_TOOLS=$tools \
    "-DRONDO_TEST_FLAGS=-O0;-g0" -DRONDO_SHARED_DATA= >"$log" 2>&1 ||
    ! cmake --build "build/$target" -j "$jobs" \
      --target $programs >>"$log" 2>&1; then
    echo "$target: NOT BUILT, see $log"
    return 1
  fi
  built=$(date +%s)
  GTEST_FILTER="-$filter" ctest --test-dir "build/$target" -L "^($labels)\$" -E emulated_x86 \
    -j "$jobs" --no-tests=error --output-on-failure >>"$log" 2>&1
  status=$?
  awk -v target="$target" -v built=$((built - begun)) -v ran=$(($(date +%s) - built)) '
    /^\[  PASSED  \]/ { passed += $4 }
    /^\[  SKIPPED \] [0-9]+ test/ { skipped += $4 }
    /^\[  FAILED  \].* ms\)$/ { failed++ }
    END { printf "%s: %d passed, %d skipped, %d failed, built in %d s, ran for %d s\n",
          target, passed, skipped, failed, built, ran }' \
    "build/$target/Testing/Temporary/LastTest.log"
  [ $status -eq 0 ] || echo "$target: FAILED, see $log"
  return $status
}

failed=0
for target in $targets; do one "$target" || failed=1; done
exit $failed
