# shellcheck shell=sh disable=SC2154,SC2164  # make.sh reads this, behind common.sh

# A Maven repository: rondo:rondo with sources, documentation and, by the classifier of the system
# (rondo.Platform.NAME), the library; and, where kotlinc and kotlinx.coroutines are there, rondo:rondo-kotlin.
# RONDO_HOME is the address that poms have.
java_package() {
  fresh java
  java_home=$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")
  java_place rondo
  sources=$bindings/java/src/main/java
  javac -Xlint:all -Werror -encoding UTF-8 --release 17 --module-version "$version" -d "$work/classes" \
    "$sources/module-info.java" "$sources"/rondo/*.java
  java_meta "$work/classes" rondo "$bindings/java/pom.xml"
  java_jar "$place/rondo-$version.jar" "$work/classes"
  java_jar "$place/rondo-$version-sources.jar" "$sources"
  javadoc -quiet -Xdoclint:all,-missing -notimestamp -encoding UTF-8 --release 17 -d "$work/documentation" \
    "$sources/module-info.java" "$sources"/rondo/*.java
  java_jar "$place/rondo-$version-javadoc.jar" "$work/documentation"
  java_natives "linux-$(uname -m)" "$native/librondo.so" "${CC:-cc}"
  java_sums "$place"
  echo "rondo:rondo:$version"
  coroutines=${COROUTINES:-/usr/share/java/kotlinx-coroutines-core.jar}
  if command -v kotlinc >/dev/null && [ -f "$coroutines" ]; then
    kotlin_package
  else
    echo "java.sh: rondo-kotlin is left out: there is no kotlinc, or no $coroutines" >&2
  fi
  rm -rf "$work/classes" "$work/documentation" "$work/natives" "$work/kotlin" "$work/stub"
}

# What Debian's kotlinx.coroutines lacks is compiled against, and not packed.
kotlin_package() {
  java_place rondo-kotlin
  sources=$bindings/kotlin
  kotlinc -nowarn -jvm-target 1.8 "$sources"/test/stub/*.kt -cp "$coroutines" -d "$work/stub"
  kotlinc -nowarn -jvm-target 1.8 -module-name rondo-kotlin "$sources"/src/rondo/kotlin/*.kt \
    -cp "$work/classes:$coroutines:$work/stub" -d "$work/kotlin"
  java_meta "$work/kotlin" rondo-kotlin "$bindings/kotlin/pom.xml"
  echo "Automatic-Module-Name: rondo.kotlin" >"$work/manifest"
  java_jar "$place/rondo-kotlin-$version.jar" "$work/kotlin" "$work/manifest"
  java_jar "$place/rondo-kotlin-$version-sources.jar" "$sources/src"
  java_sums "$place"
  echo "rondo:rondo-kotlin:$version"
}

# java_place ARTIFACT: its folder in the repository, as $place, with its list of versions.
java_place() {
  place=$work/repository/rondo/$1/$version
  mkdir -p "$place"
  cat >"$work/repository/rondo/$1/maven-metadata.xml" <<END
<?xml version="1.0" encoding="UTF-8"?>
<metadata>
  <groupId>rondo</groupId>
  <artifactId>$1</artifactId>
  <versioning>
    <latest>$version</latest>
    <release>$version</release>
    <versions>
      <version>$version</version>
    </versions>
  </versioning>
</metadata>
END
}

# java_meta CLASSES ARTIFACT POM: the licence, and the pom, which goes beside the jar, too.
java_meta() {
  mkdir -p "$1/META-INF/maven/rondo/$2"
  cp "$root/LICENSE" "$1/META-INF/LICENSE"
  sed "s,https://rondo.example,${RONDO_HOME:-https://rondo.example}," "$3" >"$place/$2-$version.pom"
  cp "$place/$2-$version.pom" "$1/META-INF/maven/rondo/$2/pom.xml"
}

# java_jar FILE FOLDER [MANIFEST]: the same bytes of the same files.
java_jar() {
  (cd "$2" && find . -type f | sed 's,^\./,,' | LC_ALL=C sort) >"$work/listed"
  (cd "$2" && jar --create --file "$1" --date "$(date -u -d "@${SOURCE_DATE_EPOCH:-315619200}" +%Y-%m-%dT%H:%M:%SZ)" \
    ${3:+--manifest "$3"} "@$work/listed")
  rm "$work/listed"
}

# java_natives CLASSIFIER LIBRARY COMPILER: the library and the glue for it, where rondo.Packed looks.
java_natives() {
  folder=$work/natives/rondo/natives/$1
  mkdir -p "$folder" "$work/natives/META-INF"
  cp "$2" "$folder/"
  "$3" -std=c99 -O2 -fPIC -shared -fvisibility=hidden -Wall -Wextra -Werror -I"$java_home/include" \
    -I"$java_home/include/linux" -I"$root/include" "$bindings/java/jni/rondo_jni.c" -o "$folder/librondo_jni.so" \
    -static-libgcc -ldl -Wl,--build-id=none -s
  (cd "$folder" && sha256sum -- *.so >SHA256SUMS)
  cp "$root/LICENSE" "$work/natives/META-INF/LICENSE"
  for licence in "$native"/LICENSE*; do
    [ ! -f "$licence" ] || cp "$licence" "$work/natives/META-INF/"
  done
  echo "Automatic-Module-Name: rondo.natives.$(echo "$1" | tr - .)" >"$work/manifest"
  java_jar "$place/rondo-$version-$1.jar" "$work/natives" "$work/manifest"
}

# java_sums FOLDER: beside each file what repositories and their clients check.
java_sums() {
  for file in "$1"/*; do
    for sum in md5 sha1 sha256 sha512; do
      "${sum}sum" "$file" | cut -d ' ' -f 1 | tr -d '\n' >"$file.$sum"
    done
  done
}
