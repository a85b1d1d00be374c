# Cross build for 64-bit RISC-V by Debian's clang 19, which has the intrinsics of vectors that GCC 12
# lacks, with the C library, the linker and the tools of Debian's cross compiler. Tests run under
# qemu-user where it is installed, with vectors of RONDO_VLEN bits.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR riscv64)
set(CMAKE_C_COMPILER clang-19)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_C_COMPILER_TARGET riscv64-linux-gnu)
set(CMAKE_CXX_COMPILER_TARGET riscv64-linux-gnu)
# GCC 12's library sorts with what it deprecates.
set(CMAKE_CXX_FLAGS_INIT -Wno-deprecated-declarations)
# Clang leaves differences of addresses to the linker, which Debian's of binutils 2.40 has not.
set(CMAKE_EXE_LINKER_FLAGS_INIT -fuse-ld=lld-19)
set(CMAKE_SHARED_LINKER_FLAGS_INIT -fuse-ld=lld-19)
foreach(tool AR RANLIB OBJCOPY STRIP)
  string(TOLOWER ${tool} name)
  set(CMAKE_${tool} riscv64-linux-gnu-${name})
endforeach()
set(CMAKE_LIBRARY_ARCHITECTURE riscv64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH /usr/riscv64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

find_program(RONDO_QEMU qemu-riscv64)
if(RONDO_QEMU)
  set(RONDO_VLEN 128 CACHE STRING "Bits of a vector register that qemu has; 0: no vectors")
  set(cpu rv64)
  if(RONDO_VLEN GREATER 0)
    string(APPEND cpu ",v=true,vlen=${RONDO_VLEN},vext_spec=v1.0")
  endif()
  set(CMAKE_CROSSCOMPILING_EMULATOR "${RONDO_QEMU};-cpu;${cpu};-L;/usr/riscv64-linux-gnu")
endif()
