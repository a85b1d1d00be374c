#!/bin/sh
# Runs a binding's tests as CTest does; 77 where the language's tools are absent, but 1 with
# RONDO_NO_SKIP.
#   test.sh BINDING SOURCE_DIR BUILD_DIR
# BUILD_DIR is a build's, whose `prepare` came first; all that is made goes to BUILD_DIR/bindings.
set -eu
binding=$1 source=$2/c_api/bindings build=$3
work=$build/bindings/$binding
prefix=$build/bindings/prefix
newer=$build/bindings/newer/librondo.so # newer_library.c
picture=$build/bindings/picture         # picture_files.py
export RONDO_TEST_MODEL="$build/bindings/tiny.rondo"
export RONDO_TEST_RECOMMENDING="$build/bindings/recommending.rondo"
export RONDO_TEST_ADAPTER="$build/bindings/adapter.rondo"
export RONDO_TEST_CALLING="$build/bindings/calling.rondo"
export RONDO_TEST_EMBEDDER="$build/bindings/embedder.rondo"
export RONDO_TEST_SCORER="$build/bindings/scorer.rondo"
export RONDO_TEST_SEEING="$build/bindings/seeing.rondo"

. "$2/tests/support/skipped.sh"

need() {
  for tool in "$@"; do
    command -v "$tool" >/dev/null || {
      skipped "no $tool here"
      exit 77
    }
  done
}

# A copy of the binding, so that nothing is written beside its sources.
copy() {
  rm -rf "$work"
  mkdir -p "$work"
  cp -R "$source/$binding/." "$work"
  cd "$work"
}

# Runs a language's search, to which the question itself is nearest.
finds_the_same() {
  found=$("$@" "$RONDO_TEST_EMBEDDER" "Once upon a time" "the sky is blue" "Once upon a time" "no")
  [ "$found" = "Once upon a time" ] || {
    echo "$* found: $found" >&2
    exit 1
  }
}

# Runs a language's example of pictures, whose answer is that of the program rondo.
sees_the_same() {
  "$@" >"$work/answer.txt" && cmp "$work/answer.txt" "$picture.txt" || {
    echo "$* answered: $(cat "$work/answer.txt")" >&2
    exit 1
  }
}

# Programs of Java are short here: its first compiler alone takes less than half of the time.
brief_java() { export JAVA_TOOL_OPTIONS="-XX:TieredStopAtLevel=1 ${JAVA_TOOL_OPTIONS-}"; }

# The glue between the library and Java, which Kotlin's binding uses, too, and Java's classes.
java_glue() {
  java=$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")
  cc -std=c99 -Wall -Wextra -Werror -O2 -fPIC -shared -I"$java/include" -I"$java/include/linux" \
    -I"$prefix/include" "$source/java/jni/rondo_jni.c" -o librondo_jni.so
}
java_classes() {
  javac -Xlint:all -Werror --release 17 -encoding UTF-8 -d classes "$source"/java/src/main/java/*.java \
    "$source"/java/src/main/java/rondo/*.java
}

use_prefix() {
  libdir=$(dirname "$(find "$prefix" -name librondo.a)")
  export LD_LIBRARY_PATH="$libdir" PKG_CONFIG_PATH="$libdir/pkgconfig"
  export RONDO_LIBRARY="$libdir/librondo.so"
}

case $binding in
  prepare) # what all of them use: an installed library, the models in tests/data, the tiny one also
    # from makers who recommend to sample, with a template that knows tools, as one that makes vectors
    # and as one that scores pairs, a picture with what is to be said of it, and a library of tomorrow
    rm -rf "$prefix"
    cmake --install "$build" --prefix "$prefix" >/dev/null
    "$prefix/bin/rondo" convert "$2/tests/data/tiny" -o "$RONDO_TEST_MODEL" --weights q8
    "$prefix/bin/rondo" convert "$2/tests/data/tiny_adapter" --adapter-for "$RONDO_TEST_MODEL" \
      -o "$RONDO_TEST_ADAPTER"
    rm -rf "$build/bindings/recommending"
    cp -R "$2/tests/data/tiny" "$build/bindings/recommending"
    cat >"$build/bindings/recommending/generation_config.json" <<END
{"do_sample": true, "temperature": 1.5, "suppress_tokens": [537], "stop_strings": ["hill"]}
END
    "$prefix/bin/rondo" convert "$build/bindings/recommending" -o "$RONDO_TEST_RECOMMENDING" --weights q8
    rm -rf "$build/bindings/calling"
    cp -R "$2/tests/data/tiny" "$build/bindings/calling"
    cp "$source/calling.jinja" "$build/bindings/calling/chat_template.jinja"
    "$prefix/bin/rondo" convert "$build/bindings/calling" -o "$RONDO_TEST_CALLING" --weights q8
    PYTHONDONTWRITEBYTECODE=1 python3 "$source/tiny_embedders.py" "$2/tests/data/tiny" "$build/bindings"
    "$prefix/bin/rondo" convert "$build/bindings/embedder" -o "$RONDO_TEST_EMBEDDER" --weights q8
    "$prefix/bin/rondo" convert "$build/bindings/scorer" -o "$RONDO_TEST_SCORER" --weights q8
    "$prefix/bin/rondo" convert "$2/tests/data/seeing" -o "$RONDO_TEST_SEEING" --weights q8
    PYTHONDONTWRITEBYTECODE=1 python3 "$source/picture_files.py" "$build/bindings"
    # What examples ask, as the model's template writes it.
    "$prefix/bin/rondo" run "$RONDO_TEST_SEEING" "User:<image> What is in the picture?<end_of_utterance>
Assistant:" --image "$picture.png" --max-tokens 64 >"$picture.txt"
    use_prefix
    mkdir -p "$(dirname "$newer")"
    cc -std=c99 -Wall -Wextra -Werror -O2 -fPIC -shared -I"$prefix/include" \
      "$source/newer_library.c" -o "$newer" -Wl,--no-as-needed -L"$libdir" -lrondo
    ;;
  generated)
    PYTHONDONTWRITEBYTECODE=1 python3 "$source/generate/generate.py" --check
    ;;
  cpp) # as on a machine where the library is installed
    need c++ pkg-config
    copy
    use_prefix
    compile="c++ -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -I$prefix/include"
    packaged=$(pkg-config --modversion rondo) RONDO_TEST_VERSION=$(cat "$2/VERSION")
    export RONDO_TEST_VERSION
    test "$packaged" = "$RONDO_TEST_VERSION" || {
      echo "the package is of $packaged" >&2
      exit 1
    }
    for program in example chat tools search picture; do
      $compile -std=c++17 $program.cc -o $program -L"$libdir" -lrondo
    done
    ./example "$RONDO_TEST_MODEL" "Once upon a time"
    ./chat "$RONDO_TEST_CALLING"
    ./tools "$RONDO_TEST_CALLING"
    finds_the_same ./search
    sees_the_same ./picture "$RONDO_TEST_SEEING" "$picture.ppm"
    # The behaviours in C++17; what C++20 has is in life.cc, whose object goes with the others.
    for part in main models texts life; do
      $compile -std=c++17 -c test/$part.cc -o $part.o
    done
    $compile -std=c++17 main.o models.o texts.o life.o -o behaviours -L"$libdir" -lrondo -pthread
    ./behaviours
    $compile -std=c++20 -c test/life.cc -o life.o
    $compile -std=c++20 main.o models.o texts.o life.o -o behaviours -L"$libdir" -lrondo -pthread
    ./behaviours
    ! $compile -std=c++17 -fsyntax-only -fno-diagnostics-show-caret test/refused.cc 2>refused.txt || exit 1
    sed -n 's,.*// refused: ,,p' test/refused.cc >words.txt
    while read -r words; do
      grep -qF "$words" refused.txt || {
        echo "the compiler does not say '$words'" >&2
        exit 1
      }
    done <words.txt
    ;;
  python) # as its wheel holds it
    need python3
    typed=$(command -v python3) # for an example with pydantic 2, where this one has it
    # The system's, where only that has the NumPy that a test is about.
    python3 -c 'import numpy' 2>/dev/null || PATH=/usr/bin:$PATH
    python3 -c 'import numpy' 2>/dev/null || skipped "no NumPy here for arrays of logits and pixels"
    copy
    use_prefix
    export PYTHONDONTWRITEBYTECODE=1
    python3 -c 'import setuptools, wheel' 2>/dev/null || {
      skipped "no setuptools and wheel here"
      exit 77
    }
    RONDO_TEST_VERSION=$(cat "$2/VERSION")
    export RONDO_TEST_VERSION
    python3 -c 'from setuptools import build_meta; build_meta.build_wheel(".")' >wheel.log 2>&1 || {
      cat wheel.log >&2
      exit 1
    }
    python3 -m zipfile -e rondo-*.whl installed
    mv rondo rondo-sources # only what was installed is imported
    unset RONDO_LIBRARY
    PYTHONPATH=installed python3 example/generate.py "$RONDO_TEST_MODEL" "Once upon a time"
    PYTHONPATH=installed python3 example/chat.py "$RONDO_TEST_CALLING"
    PYTHONPATH=installed python3 example/cancel.py "$RONDO_TEST_MODEL"
    PYTHONPATH=installed python3 example/tools.py "$RONDO_TEST_CALLING"
    finds_the_same env PYTHONPATH=installed python3 example/search.py
    if python3 -c 'import PIL' 2>/dev/null; then
      sees_the_same env PYTHONPATH=installed python3 example/picture.py "$RONDO_TEST_SEEING" "$picture.png"
    else
      skipped "no Pillow here for example/picture.py"
    fi
    if "$typed" -c 'from pydantic import TypeAdapter' 2>/dev/null; then
      PYTHONPATH=installed "$typed" example/person.py "$RONDO_TEST_MODEL"
    else
      echo "SKIPPED: person.py: no pydantic 2 here, which Debian has from 13 on"
    fi
    if command -v mypy >/dev/null; then
      MYPYPATH=installed mypy --strict --cache-dir=mypy installed/rondo tests/typed_program.py
    else
      skipped "no mypy here for the annotations"
    fi
    PYTHONPATH=installed python3 tests/typed_program.py "$RONDO_TEST_CALLING" >/dev/null
    PYTHONPATH=installed python3 -m unittest discover tests
    RONDO_LIBRARY=$newer PYTHONPATH=installed:tests python3 -m unittest tests/newer.py
    ;;
  node) # Node's headers where it brings none, and what a part of the tests wants, come from npm once
    need node npm cc
    modules=$build/bindings/node_modules
    headers=$(node -p 'require("path").resolve(process.execPath, "../../include/node")')
    [ -f "$headers/node_api.h" ] || headers=$modules/node-api-headers/include
    for module in zod typescript @types/node node-api-headers; do
      [ -d "$modules/$module" ] || absent=yes
    done
    if [ "${absent-}" = yes ] && ! timeout 300 npm install --silent --no-audit --no-fund --prefix "$build/bindings" \
      zod@4 typescript@5 @types/node@20 node-api-headers@1; then
      echo "SKIPPED: npm's registry does not give zod, typescript and node-api-headers here" # no tool is absent
      exit 77
    fi
    copy
    use_prefix
    sh build.sh "$prefix/include" "$headers"
    node --test test
    RONDO_LIBRARY=$newer RONDO_TEST_NEWER=1 node --test --test-name-pattern='newer' test
    "$modules/.bin/tsc" --project test/types
    node example/generate.mjs "$RONDO_TEST_MODEL" "Once upon a time"
    node example/tools.mjs "$RONDO_TEST_CALLING"
    node example/person.mjs "$RONDO_TEST_MODEL"
    finds_the_same node example/search.mjs
    sees_the_same node example/picture.mjs "$RONDO_TEST_SEEING" "$picture.rgba" 40 24
    ;;
  go)
    need go pkg-config
    copy
    use_prefix
    RONDO_TEST_VERSION=$(cat "$2/VERSION")
    export RONDO_TEST_VERSION GOFLAGS=-mod=mod GOPROXY=off
    test -z "$(gofmt -l .)"
    go vet ./...
    if command -v go-staticcheck >/dev/null; then # Debian's
      go-staticcheck ./...
    fi
    go test -count=1 .
    RONDO_TEST_NEWER=1 go test -count=1 -run Newer -exec "env LD_PRELOAD=$newer" .
    go run ./example "$RONDO_TEST_MODEL" "Once upon a time"
    go run ./example/chat "$RONDO_TEST_CALLING" "How is the weather?"
    go run ./example/person "$RONDO_TEST_MODEL"
    go run ./example/tools "$RONDO_TEST_CALLING"
    finds_the_same go run ./example/search
    sees_the_same go run ./example/picture "$RONDO_TEST_SEEING" "$picture.png"
    ;;
  rust)
    need cargo
    export CARGO_TARGET_DIR="$build/bindings/cargo" # kept: builds again only what changed
    copy
    use_prefix
    export RONDO_LIB_DIR="$libdir" RONDO_TEST_PICTURE="$picture"
    export RONDO_TEST_VERSION="$2/VERSION" RONDO_TEST_API="$2/c_api/abi/api.json"
    cargo test --quiet --offline --workspace
    cargo test --quiet --offline --config "target.\"cfg(unix)\".runner = \"env LD_PRELOAD=$newer\"" \
      --test details -- --ignored newer
    if cargo clippy --version >/dev/null 2>&1; then
      cargo clippy --quiet --offline --workspace --all-targets -- -D warnings
    else
      skipped "no clippy here for Rust"
    fi
    RUSTDOCFLAGS="-D warnings" cargo doc --quiet --offline --workspace --no-deps
    cargo run --quiet --offline --example generate "$RONDO_TEST_MODEL" "Once upon a time"
    for example in cancel json tasks; do
      cargo run --quiet --offline --example $example "$RONDO_TEST_MODEL"
    done
    cargo run --quiet --offline --example chat "$RONDO_TEST_CALLING"
    cargo run --quiet --offline --example tools "$RONDO_TEST_CALLING"
    finds_the_same cargo run --quiet --offline --example search
    sees_the_same cargo run --quiet --offline --example picture "$RONDO_TEST_SEEING" "$picture.ppm"
    ;;
  java)
    need javac cc
    copy
    use_prefix
    brief_java
    java_glue
    java_classes
    javac -Xlint:all,-try -Werror --release 17 -encoding UTF-8 -cp classes -d tests src/test/java/rondo/tests/*.java
    javac --release 17 -encoding UTF-8 -cp classes -d examples example/*.java
    on_java="java -Xcheck:jni -Drondo.jni=$work/librondo_jni.so -Drondo.test.version=$(cat "$2/VERSION") \
      -Drondo.test.api=$2/c_api/abi/api.json -cp classes:tests:examples"
    RONDO_TEST_PICTURE=$picture $on_java rondo.tests.Tests
    RONDO_LIBRARY=$newer $on_java rondo.tests.Tests newer
    $on_java Generate "$RONDO_TEST_MODEL" "Once upon a time"
    $on_java Conversation "$RONDO_TEST_CALLING"
    $on_java Tools "$RONDO_TEST_CALLING"
    finds_the_same $on_java Search
    sees_the_same $on_java Picture "$RONDO_TEST_SEEING" "$picture.png"
    ;;
  kotlin) # over Java's binding, by a desktop's Java
    need javac kotlinc cc
    jars=/usr/share/java # Debian's libkotlinx-coroutines-java and libkotlinx-atomicfu-java
    coroutines=$jars/kotlinx-coroutines-core.jar:$jars/kotlinx-coroutines-core-common.jar:$jars/atomicfu.jar
    [ -f "$jars/kotlinx-coroutines-core.jar" ] && [ -f "$jars/atomicfu.jar" ] || {
      skipped "no kotlinx.coroutines in $jars"
      exit 77
    }
    copy
    use_prefix
    brief_java
    java_glue
    java_classes
    kotlinc -nowarn -jvm-target 1.8 -cp "classes:$coroutines" src/rondo/kotlin/*.kt test/*.kt test/stub/*.kt \
      example/*.kt -d kotlin-classes
    on_java="java -Xcheck:jni -Drondo.jni=$work/librondo_jni.so \
      -cp classes:kotlin-classes:$coroutines:$jars/kotlin-stdlib.jar"
    $on_java TestsKt
    $on_java GenerateKt "$RONDO_TEST_MODEL" "Once upon a time"
    $on_java ConversationKt "$RONDO_TEST_CALLING"
    ;;
  csharp) # as its package has it, built by its project
    need cc
    . "$source/csharp/dotnet.sh"
    copy
    use_prefix
    dotnet_sdk "$build/bindings/dotnet" || {
      echo "SKIPPED: no dotnet here, and npm's registry does not give one"
      exit 77
    }
    "$dotnet" build -c Release --nologo -v q Rondo.csproj
    program Test $(find test -name '*.cs' ! -name Refused.cs)
    "$dotnet" programs/Test.dll
    RONDO_LIBRARY=$newer "$dotnet" programs/Test.dll newer
    # Each line that says so is refused by the compiler, and no other.
    csc -target:library -out:programs/Refused.dll test/Refused.cs >programs/refused || true
    sed -n 's/^test.Refused.cs(\([0-9]*\),.*/\1/p' programs/refused | sort -nu >programs/lines
    grep -n '// refused' test/Refused.cs | cut -d: -f1 | cmp - programs/lines
    for example in Generate Talk Person Search Tools Picture; do program $example example/$example.cs; done
    "$dotnet" programs/Generate.dll "$RONDO_TEST_MODEL" "Once upon a time"
    "$dotnet" programs/Talk.dll "$RONDO_TEST_CALLING" "How are you?"
    "$dotnet" programs/Person.dll "$RONDO_TEST_MODEL"
    "$dotnet" programs/Tools.dll "$RONDO_TEST_CALLING"
    finds_the_same "$dotnet" programs/Search.dll
    sees_the_same "$dotnet" programs/Picture.dll "$RONDO_TEST_SEEING" "$picture.ppm"
    # For .NET Standard, which finds the library as the system does.
    cp bin/Release/netstandard2.1/Rondo.dll programs
    unset RONDO_LIBRARY
    "$dotnet" programs/Test.dll B2
    ;;
  swift)
    command -v swift >/dev/null || {
      echo "SKIPPED: no swift here, which Debian has from 13 on (tests/swift.sh)"
      exit 77
    }
    need pkg-config
    copy
    use_prefix
    swift build
    bin=$(swift build --show-bin-path)
    "$bin/behaviours"
    LD_PRELOAD=$newer "$bin/behaviours" newer
    # Each line that says so is refused by the compiler, and no other.
    swiftc -typecheck -I "$bin/Modules" -I Sources/CRondo -Xcc "-I$prefix/include" tests/refused/main.swift \
      2>refused.txt || true
    sed -n 's/^[^ ]*refused.main.swift:\([0-9]*\):[0-9]*: error: .*/\1/p' refused.txt | sort -nu >refused.lines
    grep -n '// refused' tests/refused/main.swift | cut -d: -f1 | cmp - refused.lines
    "$bin/generate" "$RONDO_TEST_MODEL" "Once upon a time"
    "$bin/talk" "$RONDO_TEST_CALLING" "How are you?"
    "$bin/person" "$RONDO_TEST_MODEL"
    "$bin/tools" "$RONDO_TEST_CALLING"
    finds_the_same "$bin/search"
    sees_the_same "$bin/picture" "$RONDO_TEST_SEEING" "$picture.ppm"
    ;;
  *)
    echo "test.sh: no binding '$binding'" >&2
    exit 2
    ;;
esac
