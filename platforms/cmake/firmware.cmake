# The example of firmware: a model, RONDO_FIRMWARE_MODEL, as a part of the program, on qemu's
# mps3-an547. rondo_bits.sh runs it, where qemu is installed.
enable_language(ASM)
set(RONDO_FIRMWARE_MODEL "" CACHE FILEPATH "The Rondo file that the firmware example holds")
set(dir "${PROJECT_SOURCE_DIR}/platforms/none/example")
add_executable(rondo_firmware "${dir}/start.c" "${dir}/main.c" "${dir}/model.S")
set_property(SOURCE "${dir}/model.S" APPEND PROPERTY
  COMPILE_DEFINITIONS "RONDO_MODEL=\"${RONDO_FIRMWARE_MODEL}\"")
set_property(SOURCE "${dir}/model.S" APPEND PROPERTY OBJECT_DEPENDS "${RONDO_FIRMWARE_MODEL}")
target_link_libraries(rondo_firmware PRIVATE rondo::static)
set_target_properties(rondo_firmware PROPERTIES LINKER_LANGUAGE CXX SUFFIX .elf
  LINK_DEPENDS "${dir}/mps3-an547.ld")
target_link_options(rondo_firmware PRIVATE
  -nostartfiles "-T${dir}/mps3-an547.ld" -Wl,--wrap=_malloc_r)
find_program(RONDO_QEMU_SYSTEM qemu-system-arm)
file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/rondo_bits.sh"
  CONTENT "exec '${RONDO_QEMU_SYSTEM}' -M mps3-an547 -nographic -monitor none -serial none \
-semihosting-config enable=on,target=native -kernel '$<TARGET_FILE:rondo_firmware>' 2>&1\n")
