# rondo_bits, which says what the model in tests/data says here; and rondo_bits.sh, which runs it,
# under the emulator where there is one.
add_executable(rondo_bits tests/c_api/bits_program.c)
target_include_directories(rondo_bits PRIVATE include)
target_link_libraries(rondo_bits PRIVATE rondo::static)
set_target_properties(rondo_bits PROPERTIES LINKER_LANGUAGE CXX)
list(JOIN CMAKE_CROSSCOMPILING_EMULATOR "' '" emulator)
if(emulator)
  set(emulator "'${emulator}' ")
endif()
file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/rondo_bits.sh"
  CONTENT "exec ${emulator}'$<TARGET_FILE:rondo_bits>' \"$@\"\n")
if(WIN32)  # the compiler's libraries are no part of the system
  target_link_options(rondo_bits PRIVATE -static)
endif()
