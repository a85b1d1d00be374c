# librondo.a for other people's programs: the target rondo::static, RONDO_ARCHIVE.
#
# One object with everything inside and nothing global but rondo_*, so that a program that brings its
# own XNNPACK, pthreadpool or FlatBuffers does not clash with ours. Groups (inline functions that
# several objects hold) are resolved first: a group that the program also holds could otherwise be
# dropped under our local symbols' feet. What the standard library's templates left as weak symbols
# becomes local, too.
set(RONDO_ARCHIVE "${PROJECT_BINARY_DIR}/archive/librondo.a")
set(object "${PROJECT_BINARY_DIR}/archive/rondo.o")
file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/archive")
add_custom_command(
  OUTPUT "${RONDO_ARCHIVE}"
  COMMAND "${CMAKE_CXX_COMPILER}" -r -nostdlib -Wl,--force-group-allocation -o "${object}"
          "$<TARGET_OBJECTS:rondo_c_api>" -Wl,--whole-archive "$<TARGET_FILE:rondo_runtime>"
  COMMAND "${CMAKE_OBJCOPY}" --localize-hidden --wildcard "--keep-global-symbol=rondo_*"
          $<$<CONFIG:Release>:--strip-debug> "${object}"
  COMMAND "${CMAKE_COMMAND}" -E rm -f "${RONDO_ARCHIVE}"
  COMMAND "${CMAKE_AR}" rcs "${RONDO_ARCHIVE}" "${object}"
  DEPENDS rondo_c_api rondo_runtime "$<TARGET_OBJECTS:rondo_c_api>"
  COMMENT "Linking librondo.a" COMMAND_EXPAND_LISTS VERBATIM)
if(PROJECT_IS_TOP_LEVEL)
  set(all ALL)
endif()
add_custom_target(rondo_archive ${all} DEPENDS "${RONDO_ARCHIVE}")

# What it needs of the system.
set(RONDO_PRIVATE_LIBRARIES pcre2-8 utf8proc stdc++ m pthread)
add_library(rondo::static STATIC IMPORTED GLOBAL)
set_target_properties(rondo::static PROPERTIES
  IMPORTED_LOCATION "${RONDO_ARCHIVE}"
  INTERFACE_INCLUDE_DIRECTORIES "${PROJECT_SOURCE_DIR}/include"
  INTERFACE_COMPILE_DEFINITIONS RONDO_STATIC
  INTERFACE_LINK_LIBRARIES "${RONDO_PRIVATE_LIBRARIES}")
add_dependencies(rondo::static rondo_archive)
