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
rondo_system_library(json nlohmann/json.hpp "" nlohmann-json3-dev)
rondo_system_library(cli11 CLI/CLI.hpp "" libcli11-dev)

find_program(RONDO_FLATC flatc)
if(NOT RONDO_FLATC)
  message(FATAL_ERROR "flatc was not found; on Debian and Ubuntu: apt install flatbuffers-compiler")
endif()
