#!/bin/sh
# Builds Rondo and runs its tests, in several configurations:
#   lint     clang-format; clang-tidy     every file, or those changed last
#   release  gcc (or $CXX)                every test
#   asan     clang, address+undefined     every test but the slowest kernels' longest
#   fuzz     the asan build               the fuzzers, a minute in all or SECONDS
#   tsan     gcc, threads                 unit, model and abi tests, the longest ones for one format
#   arm64    cross gcc, qemu-user         every test on the model in tests/data but the longest
# Installs missing packages first. Can be run again. One line per step at the end; the exit code is
# 0 only where every step passed. A stage whose compiler is absent is skipped and said so.
#   sh tests/run.sh                     all six, in short: asan runs the fuzz and abi tests, tsan the
#                                       abi tests, arm64 a model test for each kernel set
#   sh tests/run.sh all                 all six, whole, but for those that passed whole before with
#                                       all that they depend on as it is now: tests/ledger.py
#   sh tests/run.sh all again           all six, whole
#   sh tests/run.sh all weekly          with every combination of the tests' parameters
#   sh tests/run.sh STAGE... [SECONDS]  these, whole
# With --require-reference, tests fail where the reference data beside the repository is absent.
# What proves what, and what is left to the week: tests/README.md. The last whole run of each stage:
# build/stages.json.
set -u
cd "$(dirname "$0")/.."
short= seconds=60 stages= spare= again= weekly= records=
for argument in "$@"; do
  case $argument in
    --require-reference) export RONDO_REQUIRE_REFERENCE=1 ;;
    all) stages='lint release asan fuzz tsan arm64' spare=yes ;;
    again) again=yes ;;
    weekly) weekly=weekly ;;
    [0-9]*) seconds=$argument ;;
    lint | release | asan | fuzz | tsan | arm64) stages="$stages $argument" ;;
    *)
      echo "tests/run.sh: no stage '$argument'; there are lint release asan fuzz tsan arm64" >&2
      exit 2
      ;;
  esac
done
[ -n "$stages" ] || { short=yes stages='lint release asan fuzz tsan arm64'; }
[ -z "$weekly" ] || export RONDO_TESTS_WEEKLY=1
# A filter of the caller's would leave tests out, and an empty one all of them.
for name in $(env | sed -n 's/^\(GTEST_[A-Z_]*\)=.*/\1/p'); do unset "$name"; done
jobs=$(nproc 2>/dev/null || echo 2)
mkdir -p build
summary=build/test-summary.txt
: >"$summary"
failed=0

now() { date +%s; }
has() { command -v "$1" >/dev/null; }

# report STAGE WHAT RESULT SECONDS
report() {
  printf '%-8s %-28s %-36s %5s s\n' "$1" "$2" "$3" "$4" | tee -a "$summary"
}

# count_tests LOG: what passed by GoogleTest's own counts, and how many of CTest's tests that are no
# GoogleTest programs; what was skipped.
count_tests() {
  awk '/^Test Passed\./ { passed++ }
    /^\[  PASSED  \]/ { passed += $4 - 1 }
    /^\[  SKIPPED \] [0-9]+ test/ { skipped += $4 }
    END { printf "ok, %d tests", passed; if (skipped) printf " (%d skipped)", skipped }' "$1"
}

# step STAGE WHAT COMMAND...: runs the command into a log, shows the log's end when it fails.
step() {
  stage=$1 what=$2
  shift 2
  log=build/$stage-$(echo "$what" | tr ' /|' '___').log
  start=$(now)
  if "$@" >"$log" 2>&1; then
    result=ok
    case $what in
      tests*) result=$(count_tests "build/$stage/Testing/Temporary/LastTest.log") ;;
      fuzzers) result=$(awk '/number_of_executed_units/ { n += $2 } END { print "ok, " n " inputs" }' "$log") ;;
    esac
    report "$stage" "$what" "$result" $(($(now) - start))
  else
    failed=1
    tail -n 60 "$log"
    report "$stage" "$what" "FAILED, see $log" $(($(now) - start))
    return 1
  fi
}

# skip STAGE REASON
skip() {
  report "$1" "everything" "SKIPPED: $2" 0
}

# configure STAGE [CMAKE ARGUMENT...]
configure() {
  name=$1
  shift
  step "$name" configure cmake --preset "$name" "$@" || return
  grep ': from ' "build/$name-configure.log" | sed 's/^-- /         /'
}

# build STAGE [TARGET...]: everything where no target is named.
build() {
  name=$1
  shift
  step "$name" build cmake --build "build/$name" -j "$jobs" ${1:+--target "$@"}
}

# run_tests STAGE LABELS [WITHOUT]: LABELS is a regular expression for CTest, WITHOUT holds
# GoogleTest's patterns for the tests that are left out.
run_tests() {
  GTEST_FILTER=${3:+-$3}
  [ -z "$GTEST_FILTER" ] || export GTEST_FILTER
  step "$1" "tests $2" ctest --test-dir "build/$1" -L "^($2)\$" -j "$jobs" --no-tests=error \
    --output-on-failure
  status=$?
  unset GTEST_FILTER
  return $status
}

# Each fuzzer has its share of the time. What it learns stays in build/asan/corpus for the next run;
# an input that is a find is in build/asan/finds.
fuzz() {
  mkdir -p build/asan/finds
  set -- build/asan/fuzzers/*
  share=$(((seconds + $# - 1) / $#))
  for program in "$@"; do
    name=$(basename "$program")
    corpus=build/asan/corpus/$name
    mkdir -p "$corpus"
    echo "== $name, $share s"
    "$program" -max_total_time=$share -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
      -artifact_prefix="build/asan/finds/$name-" "$corpus" || return
  done
}

start_all=$(now)
sh tools/install_packages.sh test || exit 1

# Objects do not depend on the folder, so that another checkout of the same finds them.
if has ccache; then
  export CMAKE_C_COMPILER_LAUNCHER="${CMAKE_C_COMPILER_LAUNCHER-ccache}"
  export CMAKE_CXX_COMPILER_LAUNCHER="${CMAKE_CXX_COMPILER_LAUNCHER-ccache}"
  export CCACHE_BASEDIR="${CCACHE_BASEDIR-$PWD}" CCACHE_NOHASHDIR="${CCACHE_NOHASHDIR-1}"
  # What it asks for where headers are parsed once.
  export CCACHE_SLOPPINESS="${CCACHE_SLOPPINESS-pch_defines,time_macros}"
fi

# Left out by GoogleTest's patterns, and why.
# The fast kernel sets go the same ways, and take a tenth of the time under a sanitizer:
slow_kernels='*RowInvariance*/sse41*:*RowInvariance*/scalar*:*Schedules*_sse41_*:*Schedules*_scalar_*'
slow_kernels="$slow_kernels:*SnapshotTest*_sse41_*:*SnapshotTest*_scalar_*"
slow_kernels="$slow_kernels:*Speculation*_sse41_*:*Speculation*_scalar_*"
# Of all combinations, these show nothing more, neither of threads nor of another machine:
repeats=${weekly:+'*Schedules*_f32_*'}
# Only the converter does this, searching long for bytes that are the same on every machine:
converter='TinyCalibration.*:Models/Trained.*'
# Minutes each, of code that the tests of its parts run under the sanitizers, too:
calibration='TinyCalibration.LosesLessThan*:TinyCalibration.IsCalibrated*:TinyCalibration.Mixed*'
# Times and the perplexity of a whole text mean little where all is slow:
long='BenchCommand.*:ToolTest.EvalOf*'
benchmarks='Bench.*:SessionsBench*:ToolTest.EvalAgainst*'
# Which kernels compute is nothing to the end of the context, nor to what is undone:
one_policy="*SessionHistory.RandomCalls*${weekly:+:*Schedules*_stop}"
# What a process holds is, under an emulator, also what the emulator holds:
memory='ConvertTest.MemoryStaysSmall*'

run_stage() {
  case $1 in
    lint)
      if has clang-format && has clang-tidy; then
        step lint clang-format sh tests/format.sh
        configure tidy && step lint clang-tidy sh tests/tidy.sh ${short:+24}
      else
        skip lint "no clang-format or no clang-tidy"
      fi
      ;;
    release) configure release && build release && run_tests release 'unit|model|fuzz|abi' ;;
    asan)
      if ! has clang++; then
        skip asan "no clang++"
      elif [ -n "$short" ]; then
        configure asan "-DRONDO_TEST_TOOL=$PWD/build/release/rondo" &&
          build asan rondo_fuzz_tests rondo_abi_tests && run_tests asan 'fuzz|abi'
      else
        configure asan -DRONDO_TEST_TOOL= &&
          build asan rondo_unit_tests rondo_model_tests rondo_fuzz_tests rondo_abi_tests &&
          run_tests asan 'unit|model|fuzz|abi' "$slow_kernels:Models/Trained.*:$calibration"
      fi
      ;;
    fuzz)
      if has clang++; then
        configure asan && build asan rondo_fuzzers && step fuzz fuzzers fuzz
      else
        skip fuzz "no clang++"
      fi
      ;;
    tsan)
      if [ -n "$short" ]; then
        configure tsan "-DRONDO_TEST_TOOL=$PWD/build/release/rondo" &&
          build tsan rondo_abi_tests && run_tests tsan abi
      else # threads do not depend on the kernels: row invariance for the fastest ones in q8
        configure tsan -DRONDO_TEST_TOOL= && build tsan rondo_unit_tests rondo_model_tests rondo_abi_tests &&
          run_tests tsan 'unit|model|abi' \
            "$slow_kernels:$converter:$long:*RowInvariance*_F32:*RowInvariance*_Q4*:$repeats"
      fi
      ;;
    arm64)
      if ! has aarch64-linux-gnu-g++ || ! has qemu-aarch64; then
        skip arm64 "no aarch64-linux-gnu-g++ or no qemu-aarch64"
      elif step arm64 libraries sh platforms/cmake/debian_sysroot.sh &&
        configure arm64 -DRONDO_SHARED_DATA=; then
        if [ -n "$short" ]; then
          build arm64 rondo_arm_tests && run_tests arm64 arm
        else
          build arm64 && run_tests arm64 arm &&
            run_tests arm64 'unit|model|fuzz|abi' "*RowInvariance*:$slow_kernels:$repeats:$one_policy:$converter:$long:$benchmarks:$memory"
        fi
      fi
      ;;
  esac
}

# Whole runs are recorded, and spared where they would give the same, in a checkout of git's.
ledger() { python3 tests/ledger.py "$@"; }
{ has python3 && git rev-parse -q --verify HEAD >/dev/null 2>&1; } || records=none

# What the arm64 stage runs on is part of what it depends on; without it SME is left out.
case " $stages " in *" arm64 "*) sh platforms/cmake/debian_qemu.sh || true ;; esac

for current in $stages; do
  case $records$short$current in
    none* | yeslint | yesasan | yestsan | yesarm64)
      run_stage "$current"
      continue
      ;;
  esac
  how=
  [ "$current" != fuzz ] || how="$seconds s"
  hash=$(ledger hash "$current" "$how") || exit 2
  if [ -n "$spare" ] && [ -z "$again" ] &&
    said=$(ledger unchanged "$current" "$hash" $weekly); then
    report "$current" "everything" "$said" 0
    continue
  fi
  failed_before=$failed failed=0 began=$(now)
  run_stage "$current"
  outcome=ok
  [ "$failed" -eq 0 ] || outcome=FAILED
  ! grep -q "^$current .*SKIPPED:" "$summary" || outcome=SKIPPED
  [ "$(ledger hash "$current" "$how")" = "$hash" ] || outcome="$outcome, but sources changed meanwhile"
  ledger write "$current" "$hash" "$outcome" $(($(now) - began)) $weekly
  [ "$failed_before" -eq 0 ] || failed=1
done

echo
echo "== Rondo tests: $(git describe --always --dirty 2>/dev/null || echo 'unknown revision')"
cat "$summary"
if [ "$failed" -eq 0 ]; then
  echo "All stages passed in $(($(now) - start_all)) s."
else
  echo "SOME STAGES FAILED after $(($(now) - start_all)) s."
fi
exit "$failed"
