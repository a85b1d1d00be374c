# Cross build for macOS 11 and later on Apple's own CPUs, where a Mac is not at hand: nothing that it
# builds runs here. On a Mac, no toolchain file is needed.
set(CMAKE_SYSTEM_NAME Darwin)
set(CMAKE_SYSTEM_PROCESSOR arm64)
set(RONDO_TRIPLE arm64-apple-macos11)
set(RONDO_ZIG aarch64-macos.11.0)
set(RONDO_HEADERS aarch64-macos.11-none any-macos.11-any any-macos-any)
include("${CMAKE_CURRENT_LIST_DIR}/zig.cmake")
set(CMAKE_INSTALL_NAME_TOOL llvm-install-name-tool-19)
