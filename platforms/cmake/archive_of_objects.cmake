# librondo.a where the linker makes no one object of several: the objects as they are. What is in them
# is seen by the programs' linker by its own names.
if(APPLE)  # whose ar takes no script
  find_program(RONDO_LIBTOOL NAMES llvm-libtool-darwin-19 libtool REQUIRED)
  set(command "${RONDO_LIBTOOL}" -static -o "${RONDO_ARCHIVE}" "$<TARGET_FILE:rondo_static>"
    "$<TARGET_FILE:rondo_runtime>")
else()
  set(script "${archive_dir}/archive.mri")
  file(GENERATE OUTPUT "${script}" CONTENT "create ${RONDO_ARCHIVE}
addlib $<TARGET_FILE:rondo_static>
addlib $<TARGET_FILE:rondo_runtime>
save
end
")
  set(command "${CMAKE_COMMAND}" "-DARCHIVER=${CMAKE_AR}" "-DSCRIPT=${script}"
    -P "${PROJECT_SOURCE_DIR}/platforms/cmake/run_archiver.cmake")
endif()
add_custom_command(
  OUTPUT "${RONDO_ARCHIVE}"
  COMMAND "${CMAKE_COMMAND}" -E rm -f "${RONDO_ARCHIVE}"
  COMMAND ${command}
  DEPENDS rondo_static rondo_runtime ${script}
  COMMENT "Linking librondo.a" VERBATIM)
