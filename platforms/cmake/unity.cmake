# rondo_unity(TARGET [MOST COUNT] [ALONE PATTERN]... [APART NAME PATTERN]...): compiles the files of a
# folder together, COUNT at most (16), since most of what a compiler reads of each are headers of
# others. What the optional parts of the library are made of stays apart, under their names. A file
# with options of its own, and what ALONE matches, is compiled by itself.
function(rondo_unity target)
  if(NOT RONDO_UNITY)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 unity "" "MOST" "ALONE;APART")
  set(most ${unity_MOST})
  if(NOT most)
    set(most 16)
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cc$")
  foreach(pattern IN LISTS unity_ALONE)
    list(FILTER sources EXCLUDE REGEX "${pattern}")
  endforeach()
  foreach(source IN LISTS sources)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE group)
    cmake_path(GET group PARENT_PATH group)
    string(REPLACE "/" "_" group "${group}")
    set(apart ${unity_APART})
    while(apart)
      list(POP_FRONT apart name pattern)
      if(source MATCHES "${pattern}")
        string(PREPEND group "${name}_")
        break()
      endif()
    endwhile()
    list(APPEND groups ${group})
    list(APPEND in_${group} "${source}")
  endforeach()
  list(REMOVE_DUPLICATES groups)
  foreach(group IN LISTS groups)  # of a large folder several, which cores share
    list(LENGTH in_${group} files)
    math(EXPR parts "(${files} + ${most} - 1) / ${most}")
    set(i 0)
    foreach(source IN LISTS in_${group})
      math(EXPR i "(${i} + 1) % ${parts}")
      set_source_files_properties("${source}" PROPERTIES UNITY_GROUP ${group}_${i})
    endforeach()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  target_compile_options(${target} PRIVATE
    # They are included by whole paths, which are in no object: another checkout's is the same.
    "-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/="
    $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)  # gcc takes a file that is included for a header
endfunction()
