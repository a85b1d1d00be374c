{ lib, stdenv, fetchurl, runCommand, cmake, ninja, pkg-config, flatbuffers, nlohmann_json, cli11, curl, openssl
, pcre2, utf8proc, xxHash, libjpeg, libpng, libwebp, libedit, libmicrohttpd }:
let
  thirdParties = runCommand "rondo-third-parties-@VERSION@" {
    src = fetchurl {
      url = "@HOME@/releases/download/v@VERSION@/rondo-third-parties-@VERSION@.tar.gz";
      sha256 = "@PARTIES_SHA256@";
    };
  } "mkdir $out && tar -xf $src -C $out --strip-components=1";
in stdenv.mkDerivation {
  pname = "rondo";
  version = "@VERSION@";
  src = fetchurl {
    url = "@HOME@/releases/download/v@VERSION@/rondo-@VERSION@.tar.gz";
    sha256 = "@SHA256@";
  };
  nativeBuildInputs = [ cmake ninja pkg-config flatbuffers ];
  buildInputs = [ nlohmann_json cli11 curl openssl pcre2 utf8proc xxHash libjpeg libpng libwebp libedit flatbuffers ]
    ++ lib.optional stdenv.isLinux libmicrohttpd;
  cmakeFlags = [ "-DRONDO_THIRD_PARTY_DIR=${thirdParties}" "-DRONDO_TOOLS=ON" "-DRONDO_TESTS=OFF" ];
  meta = {
    description = "Language models on edge devices, in one planned block of memory";
    homepage = "@HOME@";
    license = lib.licenses.mit;
    mainProgram = "rondo";
  };
}
