# librondo.a for other people's programs, and what `cmake --install` puts where: both libraries, the
# header, the tool, pkg-config files (rondo, and rondo-static) and a CMake package with the targets
# rondo::rondo and rondo::static.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# One object with everything inside and only rondo_* visible, so that a program that brings its own
# XNNPACK, pthreadpool or FlatBuffers does not clash with ours. Groups (inline functions that
# several objects hold) are resolved first: a group that the program also holds could otherwise be
# dropped under our local symbols' feet.
set(RONDO_ARCHIVE "${CMAKE_BINARY_DIR}/archive/librondo.a")
set(object "${CMAKE_BINARY_DIR}/archive/rondo.o")
file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/archive")
add_custom_command(
  OUTPUT "${RONDO_ARCHIVE}"
  COMMAND "${CMAKE_CXX_COMPILER}" -r -nostdlib -Wl,--force-group-allocation -o "${object}"
          "$<TARGET_OBJECTS:rondo_c_api>" -Wl,--whole-archive "$<TARGET_FILE:rondo_runtime>"
  COMMAND "${CMAKE_OBJCOPY}" --localize-hidden "${object}"
  COMMAND "${CMAKE_COMMAND}" -E rm -f "${RONDO_ARCHIVE}"
  COMMAND "${CMAKE_AR}" rcs "${RONDO_ARCHIVE}" "${object}"
  DEPENDS rondo_c_api rondo_runtime "$<TARGET_OBJECTS:rondo_c_api>"
  COMMENT "Linking librondo.a" COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(rondo_archive ALL DEPENDS "${RONDO_ARCHIVE}")

install(TARGETS rondo EXPORT rondo LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(FILES "${RONDO_ARCHIVE}" DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY include/rondo DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(TARGETS rondo_tool RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")

# The licences of what is inside the libraries travel with them.
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
foreach(name xnnpack pthreadpool fxdiv)
  install(FILES "${${name}_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}"
          RENAME "LICENSE.${name}")
endforeach()

# pkg-config files that find their way from where they lie, wherever that was moved to.
file(RELATIVE_PATH to_libdir "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_FULL_LIBDIR}")
file(RELATIVE_PATH to_includedir
  "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
set(private_libraries pcre2-8 utf8proc stdc++ m pthread)
list(TRANSFORM private_libraries PREPEND "-l" OUTPUT_VARIABLE private_flags)
list(JOIN private_flags " " private_flags)
function(rondo_pkg_config name libs)
  file(WRITE "${CMAKE_BINARY_DIR}/${name}.pc" "\
libdir=\${pcfiledir}/${to_libdir}
includedir=\${pcfiledir}/${to_includedir}

Name: ${name}
Description: Runtime for decoder-only language models behind a C ABI
Version: ${PROJECT_VERSION}
Cflags: -I\${includedir}
Libs: ${libs}
")
  install(FILES "${CMAKE_BINARY_DIR}/${name}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endfunction()
rondo_pkg_config(rondo "-L\${libdir} -lrondo")
rondo_pkg_config(rondo-static "\${libdir}/librondo.a ${private_flags}")

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/rondo")
install(EXPORT rondo NAMESPACE rondo:: FILE rondo-targets.cmake DESTINATION "${package_dir}")
configure_package_config_file(platforms/cmake/rondo-config.cmake.in
  "${CMAKE_BINARY_DIR}/rondo-config.cmake" INSTALL_DESTINATION "${package_dir}"
  PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file("${CMAKE_BINARY_DIR}/rondo-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/rondo-config.cmake"
  "${CMAKE_BINARY_DIR}/rondo-config-version.cmake" DESTINATION "${package_dir}")
