# librondo.a for other people's programs: the target rondo::static, RONDO_ARCHIVE.
#
# One object with everything inside and nothing global but rondo_*, so that a program that brings its
# own XNNPACK, pthreadpool or FlatBuffers does not clash with ours. Groups (inline functions that
# several objects hold) are resolved first: a group that the program also holds could otherwise be
# dropped under our local symbols' feet. What the standard library's templates left as weak symbols
# becomes local, too.
set(archive_dir "${PROJECT_BINARY_DIR}/archive")
set(configurations ${CMAKE_BUILD_TYPE})
if(RONDO_MULTI_CONFIG)
  string(APPEND archive_dir "/$<CONFIG>")
  set(configurations ${CMAKE_CONFIGURATION_TYPES})
endif()
set(RONDO_ARCHIVE "${archive_dir}/librondo.a")
set(object "${archive_dir}/rondo.o")
if(NOT RONDO_SYSTEM STREQUAL "posix")
  include("${CMAKE_CURRENT_LIST_DIR}/archive_of_objects.cmake")
else()
# Of the caller's flags those that choose the machine and the tools.
separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_COMPILER_ARG1} ${CMAKE_CXX_FLAGS}")
list(FILTER flags INCLUDE REGEX "^(-m|-B|--target=|--sysroot=|--gcc-toolchain=)")
if(CMAKE_CXX_COMPILER_TARGET AND CMAKE_CXX_COMPILE_OPTIONS_TARGET)
  list(APPEND flags "${CMAKE_CXX_COMPILE_OPTIONS_TARGET}${CMAKE_CXX_COMPILER_TARGET}")
endif()
if(RONDO_LINKER)  # zig makes no objects of objects
  list(APPEND flags -fuse-ld=lld-19)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # symbols of link time optimisation cannot be made local
  list(APPEND flags -flinker-output=nolto-rel)
endif()
add_custom_command(
  OUTPUT "${RONDO_ARCHIVE}"
  COMMAND "${CMAKE_COMMAND}" -E make_directory "${archive_dir}"
  COMMAND "${CMAKE_CXX_COMPILER}" ${flags} -r -nostdlib -Wl,--force-group-allocation -o "${object}"
          "$<TARGET_OBJECTS:rondo_c_api>" -Wl,--whole-archive "$<TARGET_FILE:rondo_runtime>"
  COMMAND "${CMAKE_OBJCOPY}" --localize-hidden --wildcard "--keep-global-symbol=rondo_*"
          $<$<CONFIG:Release>:--strip-debug> "${object}"
  COMMAND "${CMAKE_COMMAND}" -E rm -f "${RONDO_ARCHIVE}"
  COMMAND "${CMAKE_AR}" rcs "${RONDO_ARCHIVE}" "${object}"
  DEPENDS rondo_c_api rondo_runtime "$<TARGET_OBJECTS:rondo_c_api>"
  COMMENT "Linking librondo.a" COMMAND_EXPAND_LISTS VERBATIM)
endif()
if(PROJECT_IS_TOP_LEVEL)
  set(all ALL)
endif()
add_custom_target(rondo_archive ${all} DEPENDS "${RONDO_ARCHIVE}")

# What it needs is linked with it, and not seen by the programs' compiler.
add_library(rondo::static STATIC IMPORTED GLOBAL)
set_target_properties(rondo::static PROPERTIES
  INTERFACE_INCLUDE_DIRECTORIES "${PROJECT_SOURCE_DIR}/include"
  INTERFACE_COMPILE_DEFINITIONS RONDO_STATIC
  INTERFACE_LINK_OPTIONS "${RONDO_LINK_OPTIONS}"
  INTERFACE_LINK_LIBRARIES
    "$<LINK_ONLY:rondo_pcre2>;$<LINK_ONLY:rondo_utf8proc>;${RONDO_CXX_RUNTIME};${CMAKE_THREAD_LIBS_INIT}")
foreach(configuration IN LISTS configurations)
  string(TOUPPER "${configuration}" upper)
  string(REPLACE "$<CONFIG>" "${configuration}" location "${RONDO_ARCHIVE}")
  set_property(TARGET rondo::static APPEND PROPERTY IMPORTED_CONFIGURATIONS "${upper}")
  set_property(TARGET rondo::static PROPERTY IMPORTED_LOCATION_${upper} "${location}")
endforeach()
add_dependencies(rondo::static rondo_archive)
