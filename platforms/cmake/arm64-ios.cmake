# Compiles for iOS 15 and later where a Mac is not at hand: the archive alone, by macOS's headers.
# Nothing links or runs it here. On a Mac, platforms/apple/xcframework.sh builds what apps link.
set(CMAKE_SYSTEM_NAME Darwin)
set(CMAKE_SYSTEM_PROCESSOR arm64)
set(RONDO_TRIPLE arm64-apple-ios15)
set(RONDO_ZIG aarch64-macos.11.0)
set(RONDO_HEADERS aarch64-macos.11-none any-macos.11-any any-macos-any)
include("${CMAKE_CURRENT_LIST_DIR}/zig.cmake")
set(CMAKE_INSTALL_NAME_TOOL llvm-install-name-tool-19)
set(RONDO_SHARED OFF)
