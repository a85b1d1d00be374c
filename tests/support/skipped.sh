# For tests' scripts to read. skipped REASON: says what is not tried here, on a line that is counted;
# with RONDO_NO_SKIP this fails.
skipped() {
  echo "SKIPPED: $1"
  [ -z "${RONDO_NO_SKIP:-}" ] || exit 1
}
