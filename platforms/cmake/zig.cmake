# What the cross builds by Debian's clang 19 and zig 0.11 share: clang compiles against the headers of
# the system's libraries that zig has, zig compiles these libraries and links. Set before:
#   RONDO_TRIPLE   the target, as clang names it
#   RONDO_ZIG      the target, as zig names it
#   RONDO_HEADERS  folders of zig's lib/libc/include with the C library's headers
execute_process(COMMAND sh "${CMAKE_CURRENT_LIST_DIR}/zig.sh" OUTPUT_VARIABLE zig
  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set(CMAKE_C_COMPILER clang-19)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_C_COMPILER_TARGET ${RONDO_TRIPLE})
set(CMAKE_CXX_COMPILER_TARGET ${RONDO_TRIPLE})
set(CMAKE_AR llvm-ar-19)
set(CMAKE_RANLIB llvm-ranlib-19)
set(CMAKE_OBJCOPY llvm-objcopy-19)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

# The C++ library's headers come before the C library's, which they include; clang's own stand
# between them.
set(c_headers "")
foreach(folder IN LISTS RONDO_HEADERS)
  string(APPEND c_headers " -isystem ${zig}/lib/libc/include/${folder}")
endforeach()
set(CMAKE_C_FLAGS_INIT "-nostdlibinc${c_headers}")
set(CMAKE_CXX_FLAGS_INIT "-nostdinc++ -nostdlibinc -isystem ${zig}/lib/libcxx/include \
-isystem ${zig}/lib/libcxxabi/include${c_headers} \
-D_LIBCPP_DISABLE_VISIBILITY_ANNOTATIONS -D_LIBCXXABI_DISABLE_VISIBILITY_ANNOTATIONS \
-D_LIBCPP_HAS_NO_VENDOR_AVAILABILITY_ANNOTATIONS -D_LIBCPP_ABI_VERSION=1 \
-D_LIBCPP_ABI_NAMESPACE=__1")
if(RONDO_TRIPLE MATCHES "musl")
  string(APPEND CMAKE_CXX_FLAGS_INIT " -D_LIBCPP_HAS_MUSL_LIBC")
endif()

set(CMAKE_USER_MAKE_RULES_OVERRIDE "${CMAKE_CURRENT_LIST_DIR}/zig_link.cmake")
set(RONDO_LINKER "${zig}/zig c++ -target ${RONDO_ZIG}")

set(CMAKE_FIND_ROOT_PATH "${zig}/lib/libc")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
