# Small dependencies that come as system packages, each behind one target: rondo_pcre2,
# rondo_utf8proc, rondo_xxhash, rondo_flatbuffers, rondo_json, rondo_cli11; and flatc (RONDO_FLATC).

# rondo_system_library(NAME HEADER LIBRARY PACKAGE): LIBRARY "" for headers alone.
function(rondo_system_library name header library package)
  find_path(RONDO_${name}_INCLUDE "${header}")
  if(NOT RONDO_${name}_INCLUDE)
    message(FATAL_ERROR "${header} was not found; on Debian and Ubuntu: apt install ${package}")
  endif()
  add_library(rondo_${name} INTERFACE)
  target_include_directories(rondo_${name} SYSTEM INTERFACE "${RONDO_${name}_INCLUDE}")
  if(library)
    find_library(RONDO_${name}_LIBRARY "${library}")
    if(NOT RONDO_${name}_LIBRARY)
      message(FATAL_ERROR "lib${library} was not found; on Debian and Ubuntu: apt install ${package}")
    endif()
    target_link_libraries(rondo_${name} INTERFACE "${RONDO_${name}_LIBRARY}")
  endif()
endfunction()

rondo_system_library(pcre2 pcre2.h pcre2-8 libpcre2-dev)
target_compile_definitions(rondo_pcre2 INTERFACE PCRE2_CODE_UNIT_WIDTH=8)
rondo_system_library(utf8proc utf8proc.h utf8proc libutf8proc-dev)
rondo_system_library(xxhash xxhash.h "" libxxhash-dev)
target_compile_definitions(rondo_xxhash INTERFACE XXH_INLINE_ALL)
rondo_system_library(flatbuffers flatbuffers/flatbuffers.h "" libflatbuffers-dev)

find_program(RONDO_FLATC flatc)
if(NOT RONDO_FLATC)
  message(FATAL_ERROR "flatc was not found; on Debian and Ubuntu: apt install flatbuffers-compiler")
endif()

# What only the program rondo needs.
if(NOT RONDO_TOOLS)
  return()
endif()
rondo_system_library(json nlohmann/json.hpp "" nlohmann-json3-dev)
rondo_system_library(cli11 CLI/CLI.hpp "" libcli11-dev)

# Line editing for `rondo chat`, where the system has it; else it reads plain lines.
find_path(RONDO_edit_INCLUDE histedit.h)
find_library(RONDO_edit_LIBRARY edit)
add_library(rondo_edit INTERFACE)
if(RONDO_edit_INCLUDE AND RONDO_edit_LIBRARY)
  target_include_directories(rondo_edit SYSTEM INTERFACE "${RONDO_edit_INCLUDE}")
  target_link_libraries(rondo_edit INTERFACE "${RONDO_edit_LIBRARY}")
  target_compile_definitions(rondo_edit INTERFACE RONDO_LINE_EDITING=1)
else()
  message(STATUS "libedit: not found, rondo chat reads plain lines (Debian: libedit-dev)")
endif()

# Downloads for `rondo pull`, where the system has libcurl and libcrypto; else it says that it cannot.
find_path(RONDO_curl_INCLUDE curl/curl.h)
find_library(RONDO_curl_LIBRARY curl)
find_path(RONDO_crypto_INCLUDE openssl/evp.h)
find_library(RONDO_crypto_LIBRARY crypto)
add_library(rondo_curl INTERFACE)
if(RONDO_curl_INCLUDE AND RONDO_curl_LIBRARY AND RONDO_crypto_INCLUDE AND RONDO_crypto_LIBRARY)
  set(RONDO_PULL ON)
  target_include_directories(rondo_curl SYSTEM
    INTERFACE "${RONDO_curl_INCLUDE}" "${RONDO_crypto_INCLUDE}")
  target_link_libraries(rondo_curl INTERFACE "${RONDO_curl_LIBRARY}" "${RONDO_crypto_LIBRARY}")
else()
  set(RONDO_PULL OFF)
  message(STATUS "libcurl: not found, rondo pull is left out (Debian: libcurl4-openssl-dev libssl-dev)")
endif()
