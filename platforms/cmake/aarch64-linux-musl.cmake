# Cross build for 64-bit ARM with musl, a small C library that programs are linked with whole. Tests
# run under qemu-user where it is installed.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(RONDO_TRIPLE aarch64-linux-musl)
set(RONDO_ZIG aarch64-linux-musl)
set(RONDO_HEADERS aarch64-linux-musl generic-musl aarch64-linux-any any-linux-any)
include("${CMAKE_CURRENT_LIST_DIR}/zig.cmake")

find_program(RONDO_QEMU qemu-aarch64)
if(RONDO_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${RONDO_QEMU}")
endif()
