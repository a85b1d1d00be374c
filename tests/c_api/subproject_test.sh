#!/bin/sh
# Another project takes Rondo in by FetchContent and notices nothing of it but two targets. It is
# configured only: building Rondo once more would take minutes.
#   subproject_test.sh CMAKE CC CXX SOURCE_DIR XNNPACK PTHREADPOOL FXDIV
# The last three are folders with those sources.
set -eu
cmake=$1 cc=$2 cxx=$3 source=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/main.c" <<'END'
#include <rondo/rondo.h>
int main(void) { return rondo_abi_version() == 0; }
END
cat >"$work/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(host C CXX)
include(CTest)
include(FetchContent)

# All that a folder can set for those that come after it.
function(state out)
  get_directory_property(variables VARIABLES)
  list(FILTER variables INCLUDE REGEX "^(CMAKE_.*(FLAGS|STANDARD|EXTENSIONS|VISIBILITY|BUILD_TYPE|POSITION|EXPORT|OUTPUT).*|BUILD_.*)$")
  set(all "")
  foreach(name IN LISTS variables)
    string(APPEND all "${name}=${${name}}\n")
  endforeach()
  foreach(property COMPILE_OPTIONS COMPILE_DEFINITIONS INCLUDE_DIRECTORIES LINK_OPTIONS TESTS)
    get_directory_property(value ${property})
    string(APPEND all "${property}=${value}\n")
  endforeach()
  set(${out} "${all}" PARENT_SCOPE)
endfunction()

state(before)
get_cmake_property(cache_before CACHE_VARIABLES)
FetchContent_Declare(rondo SOURCE_DIR "${RONDO_SOURCE}")
FetchContent_MakeAvailable(rondo)
state(after)
if(NOT before STREQUAL after)
  message(FATAL_ERROR "Rondo changes what this project is built with:\n${before}\n${after}")
endif()

# Its cache variables have its name; those of CMake's own modules have theirs.
get_cmake_property(cache CACHE_VARIABLES)
list(REMOVE_ITEM cache ${cache_before})
list(FILTER cache EXCLUDE REGEX
  "^(_?(RONDO|rondo|FETCHCONTENT)_|CMAKE_HAVE_|CMAKE_PROJECT_VERSION|_?FIND_PACKAGE_|Threads_)")
if(cache)
  message(FATAL_ERROR "cache variables without Rondo's name: ${cache}")
endif()
get_property(tests DIRECTORY "${RONDO_SOURCE}" PROPERTY TESTS)
get_property(targets DIRECTORY "${RONDO_SOURCE}" PROPERTY BUILDSYSTEM_TARGETS)
set(others ${targets})
list(FILTER others EXCLUDE REGEX "^rondo(_|$)")
if(tests OR others OR "rondo_tool" IN_LIST targets)
  message(FATAL_ERROR "tests: ${tests}; targets without Rondo's name: ${others}; all: ${targets}")
endif()

add_executable(with_shared main.c)
target_link_libraries(with_shared rondo::rondo)
add_executable(with_static main.c)
target_link_libraries(with_static rondo::static)
install(TARGETS with_static)
END
"$cmake" -G Ninja -S "$work" -B "$work/build" -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" \
  -DRONDO_SOURCE="$source" -DFETCHCONTENT_SOURCE_DIR_RONDO_XNNPACK="$5" \
  -DFETCHCONTENT_SOURCE_DIR_RONDO_PTHREADPOOL="$6" -DFETCHCONTENT_SOURCE_DIR_RONDO_FXDIV="$7" \
  >"$work/log" 2>&1 || {
  cat "$work/log" >&2
  exit 1
}
# The programs find the header, and would be linked with the library that they ask for. Their own
# commands, one by one: the build would make the library first.
ninja=$(sed -n 's/^CMAKE_MAKE_PROGRAM:.*=//p' "$work/build/CMakeCache.txt")
last_command() { "$ninja" -C "$work/build" -t commands "$1" | tail -n 1; }
for pair in with_shared:librondo.so with_static:archive/librondo.a; do
  program=${pair%:*}
  (cd "$work/build" && eval "$(last_command "CMakeFiles/$program.dir/main.c.o")")
  last_command "$program" | grep -q "${pair#*:}" || {
    echo "subproject: $program is not linked with ${pair#*:}" >&2
    exit 1
  }
done
# What the archive needs comes from where the configuration found it, not from where the linker looks.
if last_command with_static | grep -q -e '-lpcre2-8' -e '-lutf8proc'; then
  echo "subproject: with_static is linked with bare names" >&2
  exit 1
fi
# Nothing of Rondo's is installed unless it is asked for.
if grep -q 'file(INSTALL' "$work/build/_deps/rondo-build/cmake_install.cmake"; then
  echo "subproject: the host's install target would install Rondo" >&2
  exit 1
fi
echo "FetchContent: two targets and nothing else"
