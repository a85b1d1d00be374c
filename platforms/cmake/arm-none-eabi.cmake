# Cross build for bare ARM: no operating system, files or threads. RONDO_CPU chooses the CPU, by
# default a Cortex-M55.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm-none)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_CXX_COMPILER arm-none-eabi-g++)
set(RONDO_CPU "-mcpu=cortex-m55 -mthumb -mfloat-abi=hard" CACHE STRING "Flags that choose the CPU")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES RONDO_CPU)
# Integers of 32 bits are ints, as everywhere else, and not longs: printf's formats then agree.
set(types "-U__UINT32_TYPE__ -D__UINT32_TYPE__=unsigned\\ int -U__INT32_TYPE__ -D__INT32_TYPE__=int")
set(CMAKE_C_FLAGS_INIT "${RONDO_CPU} ${types}")
set(CMAKE_CXX_FLAGS_INIT "${RONDO_CPU} ${types} -fno-threadsafe-statics")
set(CMAKE_ASM_FLAGS_INIT "${RONDO_CPU}")
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
