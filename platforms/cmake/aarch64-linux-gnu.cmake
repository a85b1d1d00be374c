# Cross build for 64-bit ARM with Debian's cross compiler. The C library is the compiler's own;
# every other library is looked up in RONDO_SYSROOT, which platforms/cmake/debian_sysroot.sh fills.
# Tests run under qemu-user where it is installed.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

set(RONDO_SYSROOT "${CMAKE_CURRENT_LIST_DIR}/../../build/sysroot-arm64" CACHE PATH
    "Unpacked arm64 packages: PCRE2, utf8proc, GoogleTest and the header-only libraries")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES RONDO_SYSROOT)
cmake_path(ABSOLUTE_PATH RONDO_SYSROOT NORMALIZE OUTPUT_VARIABLE CMAKE_FIND_ROOT_PATH)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

find_program(RONDO_QEMU qemu-aarch64)
if(RONDO_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${RONDO_QEMU};-L;/usr/aarch64-linux-gnu")
endif()
