#!/bin/sh
# Compiles what an app has of Java's and Kotlin's bindings.
#   classes.sh FOLDER     COROUTINES and ANDROID_JAR as in aar.sh
set -eu
cd "$(dirname "$0")/../.."
classes=$1
bindings=c_api/bindings
coroutines=${COROUTINES:-/usr/share/java/kotlinx-coroutines-core.jar}
[ -f "$coroutines" ] || { echo "classes.sh: there is no $coroutines: COROUTINES names another" >&2; exit 1; }
stub=$(mktemp -d)
trap 'rm -rf "$stub"' EXIT
javac -Xlint:all -Werror -encoding UTF-8 --release 17 -d "$classes" $bindings/java/src/main/java/rondo/*.java
if [ -n "${ANDROID_JAR:-}" ]; then
  set -- $bindings/kotlin/android/*.kt
else
  set --
  echo "classes.sh: without ANDROID_JAR there is no $bindings/kotlin/android" >&2
fi
# Flows, which Debian's kotlinx.coroutines lacks, are the app's own.
kotlinc -nowarn -jvm-target 1.8 $bindings/kotlin/test/stub/*.kt -cp "$coroutines" -d "$stub"
kotlinc -nowarn -jvm-target 1.8 -module-name rondo-kotlin $bindings/kotlin/src/rondo/kotlin/*.kt "$@" \
  -cp "$classes:$coroutines:$stub${ANDROID_JAR:+:$ANDROID_JAR}" -d "$classes"
