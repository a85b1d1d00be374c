# librondo.a where the linker makes no one object of several: the objects as they are. What is in them
# is seen by the programs' linker by its own names.
set(script "${archive_dir}/archive.mri")
file(GENERATE OUTPUT "${script}" CONTENT "create ${RONDO_ARCHIVE}
addlib $<TARGET_FILE:rondo_static>
addlib $<TARGET_FILE:rondo_runtime>
save
end
")
add_custom_command(
  OUTPUT "${RONDO_ARCHIVE}"
  COMMAND "${CMAKE_COMMAND}" -E rm -f "${RONDO_ARCHIVE}"
  COMMAND "${CMAKE_COMMAND}" "-DARCHIVER=${CMAKE_AR}" "-DSCRIPT=${script}"
          -P "${PROJECT_SOURCE_DIR}/platforms/cmake/run_archiver.cmake"
  DEPENDS rondo_static rondo_runtime "${script}"
  COMMENT "Linking librondo.a" VERBATIM)
