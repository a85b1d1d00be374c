# What `cmake --install` puts where, but for the program (install_tool.cmake): both libraries, the
# header, pkg-config files (rondo, and rondo-static) and a CMake package with the targets
# rondo::rondo and rondo::static.
#
# Components: runtime is what a program needs that was linked to the shared library, development
# what a compiler needs, tool the program.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/rondo")
install(TARGETS rondo EXPORT rondo LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  COMPONENT runtime NAMELINK_COMPONENT development)
install(FILES "${RONDO_ARCHIVE}" DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development)
install(DIRECTORY include/rondo DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development)
install(EXPORT rondo NAMESPACE rondo:: FILE rondo-shared.cmake DESTINATION "${package_dir}"
  COMPONENT development)

install(DIRECTORY c_api/examples DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/rondo-development"
  COMPONENT development)

rondo_install_licences(rondo-runtime runtime ${RONDO_LICENCES})
rondo_install_licences(rondo-development development ${RONDO_LICENCES})

# pkg-config files that find their way from where they lie, wherever that was moved to.
file(RELATIVE_PATH to_libdir "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_FULL_LIBDIR}")
file(RELATIVE_PATH to_includedir
  "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
# What the library needs, by the name of its pkg-config file where it has one.
set(required "")
set(private_flags "")
foreach(name IN LISTS RONDO_LINKED)
  cmake_path(GET RONDO_${name}_LIBRARY PARENT_PATH dir)
  cmake_path(GET RONDO_${name}_LIBRARY STEM stem)
  if(EXISTS "${dir}/pkgconfig/${stem}.pc")
    list(APPEND required ${stem})
  else()
    if(NOT dir IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
      string(APPEND private_flags " -L${dir}")
    endif()
    string(REGEX REPLACE "^lib" " -l" flag "${stem}")
    string(APPEND private_flags "${flag}")
  endif()
endforeach()
foreach(name IN LISTS RONDO_CXX_RUNTIME)
  string(APPEND private_flags " -l${name}")
endforeach()
string(APPEND private_flags " -pthread")
list(JOIN required ", " required)
function(rondo_pkg_config name flags libs)
  file(WRITE "${PROJECT_BINARY_DIR}/${name}.pc" "\
libdir=\${pcfiledir}/${to_libdir}
includedir=\${pcfiledir}/${to_includedir}

Name: ${name}
Description: Runtime for language models behind a C ABI
Version: ${PROJECT_VERSION}
Cflags: -I\${includedir}${flags}
${libs}
")
  install(FILES "${PROJECT_BINARY_DIR}/${name}.pc"
    DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)
endfunction()
# `pkg-config --static rondo` is for programs that are static as a whole.
rondo_pkg_config(rondo "" "\
Requires.private: ${required}
Libs: -L\${libdir} -lrondo
Libs.private:${private_flags}")
rondo_pkg_config(rondo-static " -DRONDO_STATIC" "\
Requires: ${required}
Libs: \${libdir}/librondo.a${private_flags}")

configure_package_config_file(platforms/cmake/rondo-config.cmake.in
  "${PROJECT_BINARY_DIR}/rondo-config.cmake" INSTALL_DESTINATION "${package_dir}"
  PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/rondo-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/rondo-config.cmake"
  "${PROJECT_BINARY_DIR}/rondo-config-version.cmake"
  DESTINATION "${package_dir}" COMPONENT development)
