#!/bin/sh
# Installs what platforms/packages/make.sh made as a new user would: each in an empty folder outside of
# this repository, where its example makes the text that `rondo run` makes.
#   packages_trial.sh PACKAGES RONDO MODEL BINDING...
#   sh tests/c_api/packages_trial.sh build/packages build/release/rondo build/tiny.rondo python node
set -eu
packages=$(cd "$1" && pwd)
model=$(realpath "$3")
prompt="Today's weather is so"
want=$("$2" run "$model" "$prompt" --max-tokens 64)
bindings=$(cd "$(dirname "$0")/../../c_api/bindings" && pwd)
release=$(cat "$bindings/../../VERSION")
shift 3
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
unset RONDO_LIBRARY RONDO_LIB_DIR PKG_CONFIG_PATH LD_LIBRARY_PATH

# gives NAME COMMAND...: the text of that program.
gives() {
  name=$1
  shift
  got=$("$@")
  test "$got" = "$want" || {
    echo "$name: not the text of rondo run, but: $got" >&2
    exit 1
  }
  echo "$name: installed in an empty folder, and makes the text of rondo run"
}

for binding in "$@"; do
  mkdir "$top/$binding"
  cd "$top/$binding"
  case $binding in
    python)
      python3 -m venv venv
      venv/bin/pip install --quiet --no-index "$packages"/python/rondo-*-manylinux_*_"$(uname -m)".whl
      gives "$binding" venv/bin/python "$bindings/python/example/generate.py" "$model" "$prompt"
      ;;
    sdist) # minutes: the library is compiled; Debian's wheel is used
      python3 -m venv --system-site-packages venv
      venv/bin/pip install --quiet --no-index --no-build-isolation "$packages"/python/rondo-*.tar.gz
      gives "$binding" venv/bin/python "$bindings/python/example/generate.py" "$model" "$prompt"
      ;;
    node)
      npm install --silent --no-audit --no-fund "$packages"/node/rondo-*.tgz
      cp "$bindings/node/example/generate.mjs" .
      gives "$binding" node generate.mjs "$model" "$prompt"
      ;;
    rust) # minutes: the library is compiled, without a network
      mkdir -p index host/src host/.cargo
      for crate in "$packages"/rust/*.crate; do
        tar -xzf "$crate" -C index
        echo '{"files": {}, "package": null}' >"index/$(basename "$crate" .crate)/.cargo-checksum.json"
      done
      printf '[source.crates-io]\nreplace-with = "index"\n[source.index]\ndirectory = "%s"\n' \
        "$PWD/index" >host/.cargo/config.toml
      printf '[package]\nname = "host"\nversion = "0.0.0"\nedition = "2021"\n' >host/Cargo.toml
      cp "index/rondo-$release/examples/generate.rs" host/src/main.rs
      (
        cd host
        export CARGO_TARGET_DIR="$PWD/target"
        cargo add --quiet --offline rondo --features vendored
        cargo build --quiet --release --offline
      )
      gives "$binding" host/target/release/host "$model" "$prompt"
      ;;
    go) # cgo links the library that pkg-config finds: here that of the packages
      version=$(find "$packages/go/proxy" -name '*.zip')
      module=${version#"$packages/go/proxy/"}
      module=${module%/@v/*}
      mkdir installed host
      cmake --install "$packages/library" --prefix "$PWD/installed" >/dev/null
      libdir=$(dirname "$(find installed -name librondo.a)")
      export PKG_CONFIG_PATH="$PWD/$libdir/pkgconfig" GOFLAGS=-mod=mod GOPROXY="file://$packages/go/proxy" \
        GONOSUMDB="$module" GONOSUMCHECK=1 GOMODCACHE="$PWD/modules"
      sed "s,\"rondo\",rondo \"$module\"," "$bindings/go/example/main.go" >host/main.go
      (cd host && go mod init host 2>/dev/null && go get "$module@v$release" 2>/dev/null && go vet . && go build)
      chmod -R u+w modules
      gives "$binding" env LD_LIBRARY_PATH="$PWD/$libdir" host/host "$model" "$prompt"
      mkdir replaced
      cat >replaced/go.mod <<END
module host

go 1.19

require rondo v$release

replace rondo => $bindings/go
END
      cp "$bindings/go/example/main.go" replaced
      (cd replaced && go vet . && go build)
      gives "$binding by replace" env LD_LIBRARY_PATH="$PWD/$libdir" replaced/host "$model" "$prompt"
      ;;
    java)
      jar=$packages/java/repository/rondo/rondo/$release/rondo-$release
      gives "$binding" java -cp "$jar.jar:$jar-linux-$(uname -m).jar" \
        "$bindings/java/example/Generate.java" "$model" "$prompt"
      ;;
    csharp) # by a project of its own, for which a folder is the source of packages
      # shellcheck source=/dev/null
      . "$bindings/csharp/dotnet.sh"
      dotnet_sdk "$packages/dotnet"
      export HOME="$PWD" NUGET_PACKAGES="$PWD/packages"
      "$dotnet" new console -o host >/dev/null
      cat >host/nuget.config <<END
<configuration><packageSources><clear /><add key="made" value="$packages/csharp" /></packageSources></configuration>
END
      cp "$bindings/csharp/example/Generate.cs" host/Program.cs
      (cd host && "$dotnet" add package Rondo >/dev/null && "$dotnet" build -v q -o built >/dev/null)
      gives "$binding" "$dotnet" host/built/host.dll "$model" "$prompt"
      ;;
    *)
      echo "packages_trial.sh: no package of '$binding'" >&2
      exit 2
      ;;
  esac
done
