# What the caller's flags mean for ours. They may come from CMAKE_CXX_FLAGS, from those of each
# configuration (Debian builds with none), or from add_compile_options of the project around us.
get_directory_property(callers_options COMPILE_OPTIONS)

# Configurations in which the compiler optimises, with commas between: the last -O counts.
set(optimised "")
set(configurations ${CMAKE_BUILD_TYPE})
if(RONDO_MULTI_CONFIG)
  set(configurations ${CMAKE_CONFIGURATION_TYPES})
endif()
foreach(configuration IN LISTS configurations)
  string(TOUPPER "${configuration}" upper)
  set(flags "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${upper}} ${callers_options}")
  string(REGEX MATCHALL "(^|[ ;])-O[^ ;]*" levels "${flags}")
  if(levels)
    list(GET levels -1 level)
    if(level MATCHES "-O([1-9sz]|fast)?$")
      list(APPEND optimised "${configuration}")
    endif()
  endif()
endforeach()
list(JOIN optimised "," optimised)
if(optimised)
  # What no lane takes is computed and left out, which a trap would notice.
  set(RONDO_VECTORISED "$<$<CONFIG:${optimised}>:-O3;-fno-trapping-math>")
  # For what runs seldom and not for long, where a fifth of the compiler's time matters more.
  set(RONDO_COMPILED_SOON "$<$<CONFIG:${optimised}>:-O1>")
  # For what no row, token or byte of a text waits for. gcc's -Os calls functions of one line, which
  # takes more room than what they do.
  set(RONDO_COMPILED_SMALL "$<$<CONFIG:${optimised}>:-Os>"
    "$<$<AND:$<CONFIG:${optimised}>,$<CXX_COMPILER_ID:GNU>>:--param=max-inline-insns-size=4>")
else()
  set(RONDO_VECTORISED "")
  set(RONDO_COMPILED_SOON "")
  set(RONDO_COMPILED_SMALL "")
endif()

# rondo_vectorise(SOURCE...): loops that the compiler is to vectorise wherever it optimises at all,
# also for size.
function(rondo_vectorise)
  set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS ${RONDO_VECTORISED})
  set_property(SOURCE ${ARGN} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)  # where there are no options, too
endfunction()

# The C++ library and what else a C program needs to link ours: stdc++ or c++.
set(RONDO_CXX_RUNTIME ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
list(REMOVE_ITEM RONDO_CXX_RUNTIME ${CMAKE_C_IMPLICIT_LINK_LIBRARIES} m)
list(REMOVE_DUPLICATES RONDO_CXX_RUNTIME)
if("${callers_options}" MATCHES "-stdlib=libc\\+\\+")
  set(RONDO_CXX_RUNTIME c++)
elseif(NOT RONDO_CXX_RUNTIME)
  set(RONDO_CXX_RUNTIME stdc++)
endif()
if(WIN32)  # how the compiler's own library is linked is the program's choice
  list(REMOVE_ITEM RONDO_CXX_RUNTIME gcc_s)
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^riscv")  # atomic bytes, of gcc before 13
  list(APPEND RONDO_CXX_RUNTIME atomic)
endif()
list(APPEND RONDO_CXX_RUNTIME m)
