# Cross build for Windows on 64-bit ARM. Nothing that it builds runs here.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR ARM64)
set(RONDO_TRIPLE aarch64-w64-mingw32)
set(RONDO_ZIG aarch64-windows-gnu)
set(RONDO_HEADERS any-windows-any)
include("${CMAKE_CURRENT_LIST_DIR}/zig.cmake")
set(CMAKE_RC_COMPILER llvm-windres-19)
# Its threads are its own. CMake would look for a library of POSIX's, and find whatever it asks for,
# as what it tries is not linked.
set(CMAKE_HAVE_LIBC_PTHREAD ON)
