#!/bin/sh
# Builds Rondo and runs its tests, in several configurations:
#   lint     clang-format; clang-tidy     every file, or those changed last
#   release  gcc (or $CXX)                every test
#   asan     clang, address+undefined     every test but the slowest kernels' longest
#   fuzz     the asan build               the fuzzers, a minute in all or SECONDS
#   tsan     gcc, threads                 unit, model and abi tests, the longest ones for one format
#   arm64    cross gcc, qemu-user         every test on the model in tests/data but the longest
# Installs missing packages first. Can be run again. One line per step at the end; the exit code is
# 0 only where every step passed. The end says what was skipped, spared or left out, and why: stages
# whose compiler is absent; tests that passed before with all that they depend on as it is now
# (tests/run_tests.py). In whole runs a test fails that takes much longer than it used to:
# tests/budget.py.
#   sh tests/run.sh                     all six, in short: asan runs the fuzz and abi tests, tsan the
#                                       abi tests, arm64 a model test for each kernel set
#   sh tests/run.sh all                 all six, whole
#   sh tests/run.sh all weekly          with every combination of the tests' parameters
#   sh tests/run.sh STAGE... [SECONDS]  these, whole
#   sh tests/run.sh again ...           any of these, with nothing spared
# With --require-reference, tests fail where the reference data beside the repository is absent, or
# what a script needs. What proves what, and what is left to the week: tests/README.md.
set -u
cd "$(dirname "$0")/.."
short= seconds=60 stages= spare= again= weekly= records=
for argument in "$@"; do
  case $argument in
    --require-reference) export RONDO_REQUIRE_REFERENCE=1 RONDO_NO_SKIP=1 ;;
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
long='|long'
[ -z "$short" ] || long=
together=ON
[ -z "$weekly" ] || together=OFF
[ -z "$weekly" ] || export RONDO_TESTS_WEEKLY=1
# A filter of the caller's would leave tests out, and an empty one all of them.
for name in $(env | sed -n 's/^\(GTEST_[A-Z_]*\)=.*/\1/p'); do unset "$name"; done
jobs=$(nproc 2>/dev/null || echo 2)
mkdir -p build
summary=build/test-summary.txt notes=build/test-notes.txt
: >"$summary"
: >"$notes"
failed=0

now() { date +%s; }
has() { command -v "$1" >/dev/null; }

# report STAGE WHAT RESULT SECONDS
report() {
  printf '%-8s %-28s %-36s %5s s\n' "$1" "$2" "$3" "$4" | tee -a "$summary"
}

# note STAGE TEXT: a line for the end.
note() {
  printf '%-10s %s\n' "$1" "$2" >>"$notes"
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
      tests*) result=$(sed -n 's/^RESULT //p' "$log") ;;
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

# run_tests STAGE LABELS [NAME...]: LABELS is a regular expression for CTest. Each $NAME holds
# GoogleTest's patterns for tests that are left out, $why_NAME the reason.
run_tests() {
  name=$1 labels=$2 kind=$1 left_out=
  case $short$name in yesasan | yestsan) kind=$name-short ;; esac
  shift 2
  for reason in "$@"; do
    eval "patterns=\$$reason why=\$why_$reason"
    [ -n "$patterns" ] || continue
    left_out="$left_out:$patterns"
    note "$kind" "left out, as $why: $patterns"
  done
  [ -z "$left_out" ] || export GTEST_FILTER="-${left_out#:}"
  # shellcheck disable=SC2086  # words
  step "$name" "tests $labels" python3 -B tests/run_tests.py "$kind" "build/$name" "^($labels)\$" \
    "$jobs" ${again:+again} ${short:+short}
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
has python3 || {
  echo "tests/run.sh: there is no python3" >&2
  exit 1
}

# Objects do not depend on the folder, so that another checkout of the same finds them.
if has ccache; then
  export CMAKE_C_COMPILER_LAUNCHER="${CMAKE_C_COMPILER_LAUNCHER-ccache}"
  export CMAKE_CXX_COMPILER_LAUNCHER="${CMAKE_CXX_COMPILER_LAUNCHER-ccache}"
  export CCACHE_BASEDIR="${CCACHE_BASEDIR-$PWD}" CCACHE_NOHASHDIR="${CCACHE_NOHASHDIR-1}"
fi

# Left out by GoogleTest's patterns, and why.
slow_kernels='*RowInvariance*/sse41*:*RowInvariance*/scalar*:*Schedules*_sse41_*:*Schedules*_scalar_*'
slow_kernels="$slow_kernels:*SnapshotTest*_sse41_*:*SnapshotTest*_scalar_*"
slow_kernels="$slow_kernels:*Speculation*_sse41_*:*Speculation*_scalar_*"
why_slow_kernels='the fast kernel sets go the same ways, in a tenth of the time under a sanitizer'
repeats=${weekly:+'*Schedules*_f32_*'}
why_repeats='of all combinations these show nothing more, neither of threads nor of another machine'
converter='TinyCalibration.*:Models/Trained.*'
why_converter='only the converter does this, searching long for bytes that are the same everywhere'
trained='Models/Trained.*'
why_trained='smaller models run the same code in less than minutes'
calibration='TinyCalibration.LosesLessThan*:TinyCalibration.IsCalibrated*:TinyCalibration.Mixed*'
why_calibration='the tests of its parts run the same code in less than minutes'
long='BenchCommand.*:ToolTest.EvalOf*'
why_long='times and the perplexity of a whole text mean little where all is slow'
benchmarks='Bench.*:SessionsBench*:ToolTest.EvalAgainst*'
why_benchmarks=$why_long
one_policy="*SessionHistory.RandomCalls*${weekly:+:*Schedules*_stop}"
why_one_policy='kernels are nothing to the end of the context, nor to what is undone'
memory='ConvertTest.MemoryStaysSmall*'
why_memory='what a process holds is, under an emulator, also what the emulator holds'
other_rows='*RowInvariance*_F32:*RowInvariance*_Q4*'
why_other_rows='threads do not depend on the format, and q8 and q3 run'
rows='*RowInvariance*'
why_rows='the label arm has these, on the CPU of each kernel set'

programs='rondo_unit_tests rondo_tools_unit_tests rondo_model_tests rondo_tools_model_tests'

# What platforms/cmake does not make tests of with a sanitizer.
scripts='left out: install, bindings, judges, emulated AMX: others load no library with a sanitizer'

run_stage() {
  case $1 in
    lint)
      if has clang-format && has clang-tidy; then
        step lint clang-format sh tests/format.sh
        if configure tidy "-DRONDO_UNITY=$together" &&
          step lint clang-tidy sh tests/tidy.sh ${short:+120}; then
          note lint "$(grep -m 1 '^clang-tidy: ' build/lint-clang-tidy.log)"
        fi
      else
        skip lint "no clang-format or no clang-tidy"
      fi
      ;;
    release)
      configure release && build release && run_tests release "unit|model|fuzz|abi$long"
      [ -n "$long" ] || note release "left out: tests with the label long: they take minutes"
      ;;
    asan)
      if ! has clang++; then
        skip asan "no clang++"
      elif [ -n "$short" ]; then
        configure asan "-DRONDO_TEST_TOOL=$PWD/build/release/rondo" &&
          build asan rondo_fuzz_tests rondo_abi_tests && run_tests asan 'fuzz|abi'
        note asan-short "left out: unit and model tests: they take long"
        note asan-short "$scripts"
      else
        configure asan -DRONDO_TEST_TOOL= &&
          build asan $programs rondo_fuzz_tests rondo_abi_tests &&
          run_tests asan 'unit|model|fuzz|abi' slow_kernels trained calibration
        note asan "$scripts"
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
        note tsan-short "left out: unit and model tests: they take long"
        note tsan-short "$scripts"
      else
        configure tsan -DRONDO_TEST_TOOL= && build tsan $programs rondo_abi_tests &&
          run_tests tsan 'unit|model|abi' slow_kernels converter long other_rows repeats
        note tsan "left out: damaged input, and what one thread does alone (tests.cmake)"
        note tsan "$scripts"
      fi
      ;;
    arm64)
      if ! has aarch64-linux-gnu-g++ || ! has qemu-aarch64; then
        skip arm64 "no aarch64-linux-gnu-g++ or no qemu-aarch64"
      elif step arm64 libraries sh platforms/cmake/debian_sysroot.sh &&
        configure arm64 -DRONDO_SHARED_DATA= \
          "-DRONDO_TEST_TOOL=${short:+$PWD/build/release/rondo}"; then
        [ -x build/qemu/usr/bin/qemu-aarch64 ] || note arm64 "left out: SME: no emulator of it here"
        note arm64 "left out: install, bindings, judges: this machine's programs cannot load it"
        if [ -n "$short" ]; then
          build arm64 rondo_arm_tests && run_tests arm64 arm
          note arm64 "left out: tests without the label arm: they take long"
        else
          build arm64 && run_tests arm64 arm &&
            run_tests arm64 'unit|model|fuzz|abi' rows slow_kernels repeats one_policy converter \
              long benchmarks memory
        fi
      fi
      ;;
  esac
}

# Whole runs of stages are recorded in a checkout of git's, which decides whether lint and fuzz run
# again; in other stages each test has a record of its own.
ledger() { python3 -B tests/ledger.py "$@"; }
git rev-parse -q --verify HEAD >/dev/null 2>&1 || records=none

# What the arm64 stage runs on is part of what it depends on; without it SME is left out.
case " $stages " in *" arm64 "*) sh platforms/cmake/debian_qemu.sh || true ;; esac

for current in $stages; do
  case $records$short$current in
    none* | yeslint | yesasan | yestsan | yesarm64)
      run_stage "$current"
      continue
      ;;
  esac
  hash= how=
  [ "$current" != fuzz ] || how="$seconds s"
  case $current in lint | fuzz) hash=$(ledger hash "$current" "$how") || exit 2 ;; esac
  if [ -n "$hash" ] && [ -n "$spare" ] && [ -z "$again" ] &&
    said=$(ledger unchanged "$current" "$hash" $weekly); then
    report "$current" "everything" "$said" 0
    continue
  fi
  failed_before=$failed failed=0 began=$(now)
  run_stage "$current"
  outcome=ok
  [ "$failed" -eq 0 ] || outcome=FAILED
  ! grep -q "^$current .*SKIPPED:" "$summary" || outcome=SKIPPED
  [ -z "$hash" ] || [ "$(ledger hash "$current" "$how")" = "$hash" ] ||
    outcome="$outcome, but sources changed meanwhile"
  ledger write "$current" "$hash" "$outcome" $(($(now) - began)) $weekly
  [ "$failed_before" -eq 0 ] || failed=1
done

echo
echo "== Rondo tests: $(git describe --always --dirty 2>/dev/null || echo 'unknown revision')"
cat "$summary"
echo
[ -n "$weekly" ] || note tests "left out: combinations of more than two parameters: all weekly"
note run.sh "never runs$(printf ' %s' tests/*.sh tests/*/*_trial.sh tests/tools/serve/*_trial.py |
  sed -E 's,tests/(run|tidy|format)\.sh ?,,g')"
cat "$notes"
if [ "$failed" -eq 0 ]; then
  echo "All stages passed in $(($(now) - start_all)) s."
else
  echo "SOME STAGES FAILED after $(($(now) - start_all)) s."
fi
exit "$failed"
