# Where XNNPACK, pthreadpool and FXdiv come from: sources pinned to one revision each.
#
# The first of these that holds wins, and the configure output says which it was:
#   1. FETCHCONTENT_SOURCE_DIR_RONDO_XNNPACK (.._PTHREADPOOL, .._FXDIV) names the folder;
#   2. RONDO_THIRD_PARTY_DIR names a folder with xnnpack/, pthreadpool/ and fxdiv/ inside;
#   3. a folder that is there and is the same revision: FETCHCONTENT_SOURCE_DIR_XNNPACK, or what
#      FetchContent made available before as rondo_xnnpack;
#   4. the cache folder that all build folders share, which holds what step 5 found before;
# and, where RONDO_DOWNLOAD asks for it,
#   5. on Debian and Ubuntu the source archives in the system's own package mirror, checked against
#      a SHA-256;
#   6. the public git repositories, by full commit hash.
# Sets <name>_SOURCE_DIR for each.

set(RONDO_THIRD_PARTY_DIR "" CACHE PATH "Folder with xnnpack/, pthreadpool/ and fxdiv/ sources")
include(FetchContent)
include("${CMAKE_CURRENT_LIST_DIR}/local_sources.cmake")

function(_rondo_cache_dir out)
  if(DEFINED ENV{XDG_CACHE_HOME})
    set(dir "$ENV{XDG_CACHE_HOME}/rondo")
  elseif(DEFINED ENV{HOME})
    set(dir "$ENV{HOME}/.cache/rondo")
  else()
    set(dir "${PROJECT_BINARY_DIR}/third_party")
  endif()
  set(${out} "${dir}" PARENT_SCOPE)
endfunction()

# Base addresses of the package mirrors this system is set up with; empty where there is no apt.
function(_rondo_apt_mirrors out)
  execute_process(
    COMMAND apt-get indextargets --format "$(REPO_URI)" "Identifier: Packages"
    OUTPUT_VARIABLE mirrors ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    set(mirrors "")
  endif()
  string(REGEX REPLACE "[\r\n]+" ";" mirrors "${mirrors}")
  list(FILTER mirrors EXCLUDE REGEX "^$")
  list(REMOVE_DUPLICATES mirrors)
  set(${out} "${mirrors}" PARENT_SCOPE)
endfunction()

# Downloads `url` to `file` and checks its hash; `out` is TRUE on success. apt's own downloader is
# preferred, because it knows the proxies and credentials that the system's mirror may need.
function(_rondo_download url file sha256 out)
  set(part "${file}.part")
  if(EXISTS /usr/lib/apt/apt-helper)
    execute_process(
      COMMAND /usr/lib/apt/apt-helper -qq -o APT::Sandbox::User= download-file "${url}" "${part}"
              "SHA256:${sha256}"
      OUTPUT_QUIET ERROR_QUIET RESULT_VARIABLE failed)
  else()
    file(DOWNLOAD "${url}" "${part}" STATUS status)
    list(GET status 0 failed)
  endif()
  set(ok FALSE)
  if(NOT failed AND EXISTS "${part}")
    file(SHA256 "${part}" actual)
    if(actual STREQUAL sha256)
      file(RENAME "${part}" "${file}")
      set(ok TRUE)
    endif()
  endif()
  file(REMOVE "${part}")
  set(${out} ${ok} PARENT_SCOPE)
endfunction()

# Unpacked sources from a Debian source archive, of now or of another time; or empty.
function(_rondo_from_apt name pool_path sha256 marker out)
  set(${out} "" PARENT_SCOPE)
  _rondo_cache_dir(cache)
  string(SUBSTRING "${sha256}" 0 12 short)
  set(unpacked "${cache}/${name}-${short}")
  if(NOT EXISTS "${unpacked}" AND download)
    _rondo_apt_mirrors(mirrors)
    if(NOT mirrors)
      return()
    endif()
    file(MAKE_DIRECTORY "${cache}")
    string(RANDOM LENGTH 8 unique)  # several configure runs may share the cache
    set(work "${cache}/${name}-${unique}.tmp")
    file(MAKE_DIRECTORY "${work}")
    set(found FALSE)
    foreach(mirror IN LISTS mirrors)
      string(REGEX REPLACE "/+$" "" mirror "${mirror}")
      _rondo_download("${mirror}/pool/main/${pool_path}" "${work}/archive" ${sha256} found)
      if(found)
        break()
      endif()
    endforeach()
    if(found)
      file(ARCHIVE_EXTRACT INPUT "${work}/archive" DESTINATION "${work}/unpacked")
      file(RENAME "${work}/unpacked" "${unpacked}" RESULT lost_race)
    endif()
    file(REMOVE_RECURSE "${work}")
  endif()
  # Some archives have a folder on top, some do not.
  file(GLOB tops LIST_DIRECTORIES TRUE "${unpacked}" "${unpacked}/*")
  foreach(top IN LISTS tops)
    if(EXISTS "${top}/${marker}")
      set(${out} "${top}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# rondo_third_party(NAME xnnpack REPOSITORY url COMMIT hash POOL path SHA256 hash MARKER file
#                   DIGEST hash)
#   POOL: the archive's path below pool/main of a Debian mirror; SHA256: of that archive.
#   MARKER: a file that tells where in the archive the sources are; DIGEST: as _rondo_digest gives it.
function(rondo_third_party)
  cmake_parse_arguments(arg "" "NAME;REPOSITORY;COMMIT;POOL;SHA256;MARKER;DIGEST" "" ${ARGN})
  string(SUBSTRING "${arg_COMMIT}" 0 7 short)
  string(TOUPPER "${arg_NAME}" upper)
  set(revision "${arg_REPOSITORY} at commit ${arg_COMMIT}")
  set(download ${RONDO_DOWNLOAD})
  if(FETCHCONTENT_FULLY_DISCONNECTED)
    set(download OFF)
  endif()
  _rondo_named_copy(${arg_NAME} ${arg_DIGEST} "${revision}" dir from)
  if(NOT dir)
    _rondo_found_copy(${arg_NAME} ${arg_DIGEST} dir from)
  endif()
  if(NOT dir)
    _rondo_from_apt(${arg_NAME} "${arg_POOL}" ${arg_SHA256} "${arg_MARKER}" dir)
    set(from "the source archive of the system's package mirror")
  endif()
  if(NOT dir AND download)
    FetchContent_Declare(
      rondo_${arg_NAME}  # names are shared by all projects of a build
      GIT_REPOSITORY "${arg_REPOSITORY}"
      GIT_TAG ${arg_COMMIT}
      SOURCE_SUBDIR none)  # only the files: we compile what we use ourselves
    FetchContent_MakeAvailable(rondo_${arg_NAME})
    set(dir "${rondo_${arg_NAME}_SOURCE_DIR}")
    set(from "${arg_REPOSITORY}")
    _rondo_digest("${dir}" digest)
    if(NOT digest STREQUAL arg_DIGEST)
      message(FATAL_ERROR "FetchContent put other sources of ${arg_NAME} into ${dir}; expected ${revision}")
    endif()
  endif()
  if(NOT dir)
    message(FATAL_ERROR
      "${arg_NAME}: no copy of its sources is here, and nothing is downloaded unasked.\n"
      "Expected ${revision}. Either let it be downloaded: -DRONDO_DOWNLOAD=ON; or name a copy: "
      "-DFETCHCONTENT_SOURCE_DIR_RONDO_${upper}=DIR, or -DRONDO_THIRD_PARTY_DIR=DIR for a folder "
      "with xnnpack, pthreadpool and fxdiv inside.")
  endif()
  message(STATUS "${arg_NAME} ${short}: from ${from}")
  set(${arg_NAME}_SOURCE_DIR "${dir}" PARENT_SCOPE)
endfunction()

rondo_third_party(
  NAME xnnpack
  REPOSITORY https://github.com/google/XNNPACK.git
  COMMIT 4ea82e595b36106653175dcb04b2aa532660d0d8
  POOL x/xnnpack/xnnpack_0.0~git20241108.4ea82e5.orig.tar.xz
  SHA256 90bde2caef0f880f627bab0dc805a86c4b8070cd98e3243db3046ab3f3be1a99
  MARKER include/xnnpack.h
  DIGEST e1a609ae572bcf980462f6c58e8a7325c8bb158acfedbcd1a7a9e93e9d8d1f57)
rondo_third_party(
  NAME pthreadpool
  REPOSITORY https://github.com/Maratyszcza/pthreadpool.git
  COMMIT 560c60d342a76076f0557a3946924c6478470044
  POOL p/pthreadpool/pthreadpool_0.0~git20240616.560c60d.orig.tar.xz
  SHA256 4cc3cbd933b28131d2a34edc54f76af9fb41bc490af5eae1a5bd3cd07ea90708
  MARKER include/pthreadpool.h
  DIGEST ac1ad935fede1fdac8faa5a86986372ec6b813763b69aec5fc735de08b85e80c)
rondo_third_party(
  NAME fxdiv
  REPOSITORY https://github.com/Maratyszcza/FXdiv.git
  COMMIT b408327ac2a15ec3e43352421954f5b1967701d1
  POOL f/fxdiv/fxdiv_0.0~git20200417.b408327.orig.tar.xz
  SHA256 7953482badaf4cb34026c3487c257b8e4ab2df061c019bd6fabbbc12ad52c44b
  MARKER include/fxdiv.h
  DIGEST bbea4606f421d552f5769269c0d52bf01d98a4c9d9125d23d478c22fe786c7ed)

# Options for code that is not ours: no warnings, always optimised, no fused multiply-add that the
# source does not ask for (the same sums with every compiler), nothing exported.
add_library(rondo_foreign INTERFACE)
target_compile_options(rondo_foreign INTERFACE -w -O2 -ffp-contract=off -fvisibility=hidden
  ${RONDO_STACK_OPTIONS})
target_compile_definitions(rondo_foreign INTERFACE _GNU_SOURCE=1)

include("${CMAKE_CURRENT_LIST_DIR}/pthreadpool.cmake")

# XNNPACK: microkernels, their parameters and lookup tables. No operators, no CPU detection, no
# subgraphs.
add_library(rondo_xnnpack OBJECT "${xnnpack_SOURCE_DIR}/src/microparams-init.c")
set_target_properties(rondo_xnnpack PROPERTIES C_STANDARD 99)
target_include_directories(rondo_xnnpack SYSTEM
  PUBLIC "${xnnpack_SOURCE_DIR}/include" "${xnnpack_SOURCE_DIR}/src")
target_compile_definitions(rondo_xnnpack PUBLIC XNN_LOG_LEVEL=0 XNN_ENABLE_AVX512F=1 XNN_ENABLE_AVX512SKX=1)
target_link_libraries(rondo_xnnpack PUBLIC rondo_pthreadpool PRIVATE rondo_foreign)
include("${CMAKE_CURRENT_LIST_DIR}/xnnpack_kernels.cmake")

# Its weight packers, which the tests hold ours against.
add_library(rondo_xnnpack_packers OBJECT EXCLUDE_FROM_ALL
  "${xnnpack_SOURCE_DIR}/src/reference/packing.cc")
set_target_properties(rondo_xnnpack_packers PROPERTIES CXX_STANDARD 14)
target_link_libraries(rondo_xnnpack_packers PUBLIC rondo_xnnpack PRIVATE rondo_foreign)
