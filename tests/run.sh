#!/bin/sh
# Builds Rondo and runs all its tests, in one configuration or in several:
#   release  gcc (or $CXX)             every test
#   asan     clang, address+undefined  unit, model and abi tests, the longest ones without slow kernels
#   tsan     gcc, threads              unit, model and abi tests, the longest ones for one format
#   arm64    cross gcc, qemu-user      unit, model and abi tests on the model in tests/data,
#                                      without the longest ones
# and checks formatting. Installs missing packages first. Can be run again. One line per stage at
# the end; the exit code is 0 only where every stage passed. A stage whose compiler is absent is
# skipped and said so.
#   sh tests/run.sh [STAGE...]        default: lint release; `all`: these five
set -u
cd "$(dirname "$0")/.."
stages=${*:-lint release}
[ "$stages" != all ] || stages='lint release asan tsan arm64'
jobs=$(nproc 2>/dev/null || echo 2)
mkdir -p build
summary=build/test-summary.txt
: >"$summary"
failed=0

now() { date +%s; }

# report STAGE WHAT RESULT SECONDS
report() {
  printf '%-8s %-28s %-36s %5s s\n' "$1" "$2" "$3" "$4" | tee -a "$summary"
}

# step STAGE WHAT COMMAND...: runs the command into a log, shows the log's end when it fails.
step() {
  stage=$1 what=$2
  shift 2
  log=build/$stage-$(echo "$what" | tr ' /|' '___').log
  start=$(now)
  if "$@" >"$log" 2>&1; then
    result=ok
    # CTest's own count, where there is one.
    count=$(sed -n 's/^100% tests passed.* out of \([0-9]*\)$/ok, \1 tests/p' "$log")
    skipped=$(grep -c '\*\*\*Skipped' "$log" || true)
    [ -z "$count" ] || result=$count
    [ "$skipped" -eq 0 ] || result="$result ($skipped skipped)"
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

# build_and_test STAGE LABELS WITHOUT [CMAKE ARGUMENT...]: LABELS and WITHOUT (names of tests that
# are left out; ^$ for none) are regular expressions for ctest -L and -E. $targets: what to build,
# everything where it is empty.
build_and_test() {
  name=$1 labels=$2 without=$3
  shift 3
  step "$name" configure cmake --preset "$name" "$@" || return
  grep ': from ' "build/$name-configure.log" | sed 's/^-- /         /'
  step "$name" build cmake --build "build/$name" -j "$jobs" \
    ${targets:+--target $targets} || return
  step "$name" "tests $labels" ctest --test-dir "build/$name" -L "^($labels)\$" -j "$jobs" \
    -E "$without" --no-tests=error --output-on-failure
}

has() { command -v "$1" >/dev/null; }

start_all=$(now)
sh tools/install_packages.sh test || exit 1

for stage_name in $stages; do
  targets=
  case $stage_name in
    lint)
      if has clang-format; then
        step lint clang-format sh tests/format.sh
      else
        skip lint "no clang-format"
      fi
      ;;
    release) build_and_test release 'unit|model|fuzz|abi' '^$' ;;
    asan)
      if has clang++; then
        targets='rondo_unit_tests rondo_model_tests rondo_abi_tests'
        build_and_test asan 'unit|model|abi' 'RowInvariance.*(sse41|scalar)' \
          -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++
      else
        skip asan "no clang++"
      fi
      ;;
    tsan) # threads do not depend on the kernels: row invariance for the fastest ones in q8
      targets='rondo_unit_tests rondo_model_tests rondo_abi_tests'
      build_and_test tsan 'unit|model|abi' \
        'RowInvariance.*(_F32|_Q4|sse41|scalar)|EvalOfStories|BenchCommand'
      ;;
    arm64)
      if has aarch64-linux-gnu-g++ && has qemu-aarch64; then
        step arm64 libraries sh platforms/cmake/debian_sysroot.sh &&
          build_and_test arm64 'unit|model|abi' 'RowInvariance|BenchCommand' -DRONDO_SHARED_DATA=
      else
        skip arm64 "no aarch64-linux-gnu-g++ or no qemu-aarch64"
      fi
      ;;
    *)
      echo "tests/run.sh: no stage '$stage_name'; there are lint release asan tsan arm64 all" >&2
      exit 2
      ;;
  esac
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
