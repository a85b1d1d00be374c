# The small dependencies compiled by us, from source archives pinned to one version each: for cross
# builds, and for libraries that need nothing of the system that they are used on. The same targets
# as system_libraries.cmake has.

# rondo_bundled(NAME POOL SHA256 MARKER [REPOSITORY COMMIT]): sets NAME_SOURCE_DIR, from
# RONDO_THIRD_PARTY_DIR/NAME, the archive POOL below pool/main of the system's package mirror, which
# that hash is of, or, where the system is not Debian's, the public git repository.
function(rondo_bundled name pool sha256 marker)
  set(dir "${RONDO_THIRD_PARTY_DIR}/${name}")
  set(download ${RONDO_DOWNLOAD})
  if(NOT RONDO_THIRD_PARTY_DIR OR NOT EXISTS "${dir}/${marker}")
    _rondo_from_apt(${name} "${pool}" ${sha256} "${marker}" dir)
  endif()
  cmake_path(GET pool FILENAME archive)
  if(NOT dir AND download AND ARGC GREATER 5)
    FetchContent_Declare(rondo_${name} GIT_REPOSITORY "${ARGV4}" GIT_TAG ${ARGV5} SOURCE_SUBDIR none)
    FetchContent_MakeAvailable(rondo_${name})
    set(dir "${rondo_${name}_SOURCE_DIR}")
    set(archive "${ARGV4}")
  endif()
  if(NOT dir)
    message(FATAL_ERROR "${name}: no copy of its sources is here. Either let them be downloaded: "
      "-DRONDO_DOWNLOAD=ON; or name a folder that holds ${name}/, which ${archive} unpacks to: "
      "-DRONDO_THIRD_PARTY_DIR=DIR")
  endif()
  message(STATUS "${name}: compiled from ${archive}")
  set(${name}_SOURCE_DIR "${dir}" PARENT_SCOPE)
endfunction()

# A library of C sources, whose objects become a part of ours.
function(_rondo_bundled_objects name)
  add_library(rondo_${name}_objects OBJECT ${ARGN})
  set_target_properties(rondo_${name}_objects PROPERTIES C_STANDARD 99)
  target_link_libraries(rondo_${name}_objects PRIVATE rondo_foreign)
  add_library(rondo_${name} INTERFACE)
  set(RONDO_BUNDLED_OBJECTS ${RONDO_BUNDLED_OBJECTS} $<TARGET_OBJECTS:rondo_${name}_objects>
    PARENT_SCOPE)
endfunction()

rondo_bundled(pcre2 p/pcre2/pcre2_10.42.orig.tar.gz
  c33b418e3b936ee3153de2c61cc638e7e4fe3156022a5c77d0711bcbb9d64f1f src/pcre2.h.generic
  https://github.com/PCRE2Project/pcre2.git 52c08847921a324c804cabf2814549f50bce1265)
set(pcre2_copy "${PROJECT_BINARY_DIR}/pcre2")  # where it finds the settings that come with it
foreach(file config.h pcre2.h)
  configure_file("${pcre2_SOURCE_DIR}/src/${file}.generic" "${pcre2_copy}/${file}" COPYONLY)
endforeach()
configure_file("${pcre2_SOURCE_DIR}/src/pcre2_chartables.c.dist"
  "${pcre2_copy}/pcre2_chartables.c" COPYONLY)
set(pcre2_sources "${pcre2_copy}/pcre2_chartables.c")
foreach(part auto_possess chkdint compile config context convert dfa_match error extuni find_bracket
             jit_compile maketables match match_data newline ord2utf pattern_info script_run
             serialize string_utils study substitute substring tables ucd valid_utf xclass)
  if(EXISTS "${pcre2_SOURCE_DIR}/src/pcre2_${part}.c")
    list(APPEND pcre2_sources "${pcre2_SOURCE_DIR}/src/pcre2_${part}.c")
  endif()
endforeach()
_rondo_bundled_objects(pcre2 ${pcre2_sources})
target_include_directories(rondo_pcre2_objects PRIVATE "${pcre2_copy}" "${pcre2_SOURCE_DIR}/src")
target_compile_definitions(rondo_pcre2_objects PRIVATE HAVE_CONFIG_H SUPPORT_PCRE2_8 SUPPORT_UNICODE
  PCRE2_CODE_UNIT_WIDTH=8 PCRE2_STATIC)
target_include_directories(rondo_pcre2 SYSTEM INTERFACE "${pcre2_copy}")
target_compile_definitions(rondo_pcre2 INTERFACE PCRE2_CODE_UNIT_WIDTH=8 PCRE2_STATIC)

rondo_bundled(utf8proc u/utf8proc/utf8proc_2.8.0.orig.tar.gz
  a0a60a79fe6f6d54e7d411facbfcc867a6e198608f2cd992490e46f04b1bcecc utf8proc.h
  https://github.com/JuliaStrings/utf8proc.git 1cb28a66ca79a0845e99433fd1056257456cef8b)
_rondo_bundled_objects(utf8proc "${utf8proc_SOURCE_DIR}/utf8proc.c")
target_compile_definitions(rondo_utf8proc_objects PRIVATE UTF8PROC_STATIC)
target_include_directories(rondo_utf8proc SYSTEM INTERFACE "${utf8proc_SOURCE_DIR}")
target_compile_definitions(rondo_utf8proc INTERFACE UTF8PROC_STATIC)

rondo_bundled(xxhash x/xxhash/xxhash_0.8.1.orig.tar.gz
  3bb6b7d6f30c591dd65aaaff1c8b7a5b94d81687998ca9400082c739a690436c xxhash.h
  https://github.com/Cyan4973/xxHash.git 35b0373c697b5f160d3db26b1cbb45a0d5ba788c)
add_library(rondo_xxhash INTERFACE)
target_include_directories(rondo_xxhash SYSTEM INTERFACE "${xxhash_SOURCE_DIR}")
target_compile_definitions(rondo_xxhash INTERFACE XXH_INLINE_ALL)

rondo_bundled(flatbuffers f/flatbuffers/flatbuffers_2.0.8+dfsg1.orig.tar.xz
  424b8c76568e718a1a05c3fbc6b2070c83b5e55d9b48568fa4f744e9bcd1163a
  include/flatbuffers/flatbuffers.h
  https://github.com/google/flatbuffers.git 06c5c7ed0bd987a918cf88caafb094f22cdd1721)
add_library(rondo_flatbuffers INTERFACE)
target_include_directories(rondo_flatbuffers SYSTEM INTERFACE "${flatbuffers_SOURCE_DIR}/include")

if(RONDO_TOOLS)
  rondo_bundled(json n/nlohmann-json3/nlohmann-json3_3.11.2.orig.tar.gz
    d69f9deb6a75e2580465c6c4c5111b89c4dc2fa94e3a85fcd2ffcd9a143d9273
    single_include/nlohmann/json.hpp)
  add_library(rondo_json INTERFACE)
  target_include_directories(rondo_json SYSTEM INTERFACE "${json_SOURCE_DIR}/single_include")

  rondo_bundled(cli11 c/cli11/cli11_2.1.2+ds.orig.tar.xz
    8143d20b688e98ccce8e24562d3b68e5f47c12e896c42c7ca8553dbde5bed55d include/CLI/CLI.hpp)
  add_library(rondo_cli11 INTERFACE)
  target_include_directories(rondo_cli11 SYSTEM INTERFACE "${cli11_SOURCE_DIR}/include")
endif()

if(RONDO_TESTS)
  rondo_bundled(googletest g/googletest/googletest_1.12.1.orig.tar.gz
    81964fe578e9bd7c94dfdb09c8e4d6e6759e19967e397dbea48d1c10e45d0df2
    googletest/include/gtest/gtest.h)
  foreach(part gtest gmock)
    string(REPLACE "gtest" "googletest" folder "${part}")
    string(REPLACE "gmock" "googlemock" folder "${folder}")
    set(dir "${googletest_SOURCE_DIR}/${folder}")
    add_library(rondo_${part} STATIC EXCLUDE_FROM_ALL "${dir}/src/${part}-all.cc")
    target_include_directories(rondo_${part} SYSTEM PUBLIC "${dir}/include" PRIVATE "${dir}")
    target_link_libraries(rondo_${part} PRIVATE rondo_foreign)
    add_library(GTest::${part} ALIAS rondo_${part})
  endforeach()
  target_link_libraries(rondo_gmock PUBLIC rondo_gtest)
  if(RONDO_SYSTEM STREQUAL "wasi")  # it has none of these
    target_compile_options(rondo_gtest PUBLIC $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>)
    target_compile_definitions(rondo_gtest PUBLIC GTEST_HAS_PTHREAD=0 GTEST_HAS_EXCEPTIONS=0
      GTEST_HAS_DEATH_TEST=0 GTEST_HAS_STREAM_REDIRECTION=0)
  endif()
  target_link_libraries(rondo_gtest PUBLIC Threads::Threads)
  add_library(rondo_gtest_main STATIC EXCLUDE_FROM_ALL
    "${googletest_SOURCE_DIR}/googletest/src/gtest_main.cc")
  target_link_libraries(rondo_gtest_main PUBLIC rondo_gtest PRIVATE rondo_foreign)
  add_library(GTest::gtest_main ALIAS rondo_gtest_main)
endif()
