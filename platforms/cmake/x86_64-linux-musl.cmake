# Cross build for 64-bit x86 with musl, a small C library that programs are linked with whole.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(RONDO_TRIPLE x86_64-linux-musl)
set(RONDO_ZIG x86_64-linux-musl)
set(RONDO_HEADERS x86_64-linux-musl generic-musl x86-linux-any any-linux-any)
include("${CMAKE_CURRENT_LIST_DIR}/zig.cmake")
