# shellcheck shell=sh disable=SC2154,SC2164  # make.sh reads this, behind common.sh

# A Maven repository with rondo:rondo, the library where JNA finds it: linux-CPU.
java_package() {
  fresh java
  jna=${JNA:-/usr/share/java/jna.jar} # Debian's libjna-java
  javac -encoding UTF-8 --release 17 -cp "$jna" -d "$work/classes" \
    "$bindings"/java/src/main/java/rondo/*.java
  mkdir -p "$work/classes/linux-$java_cpu" "$work/classes/META-INF/maven/rondo/rondo"
  cp "$native/librondo.so" "$work/classes/linux-$java_cpu"
  cp "$native"/LICENSE* "$work/classes/META-INF"
  cp "$bindings/java/pom.xml" "$work/classes/META-INF/maven/rondo/rondo"
  place=$work/repository/rondo/rondo/$version
  mkdir -p "$place"
  jar --create --file "$place/rondo-$version.jar" -C "$work/classes" .
  cp "$bindings/java/pom.xml" "$place/rondo-$version.pom"
  rm -r "$work/classes"
  echo "rondo:rondo:$version"
}
