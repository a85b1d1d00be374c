# Copies of third parties' sources that are there already, and whether they are the pinned revision.

# What the files of a folder that we compile, include or install amount to; empty where there are none.
function(_rondo_digest dir out)
  set(all "")
  file(GLOB_RECURSE files LIST_DIRECTORIES FALSE RELATIVE "${dir}"
    "${dir}/LICENSE" "${dir}/include/*.h" "${dir}/src/*.h" "${dir}/src/*.c"
    "${dir}/src/*.cc")
  list(SORT files)
  foreach(file IN LISTS files)
    file(SHA256 "${dir}/${file}" hash)
    string(APPEND all "${hash} ${file}\n")
  endforeach()
  set(digest "")
  if(files)
    string(SHA256 digest "${all}")
  endif()
  set(${out} "${digest}" PARENT_SCOPE)
endfunction()

# _rondo_named_copy(NAME DIGEST EXPECTED OUT_DIR OUT_FROM): the folder that somebody named for us. It
# is the pinned revision, or nothing is built: EXPECTED says what it should be.
function(_rondo_named_copy name digest expected out_dir out_from)
  string(TOUPPER "${name}" upper)
  set(dir "")
  set(from "")
  if(FETCHCONTENT_SOURCE_DIR_RONDO_${upper})
    set(from "FETCHCONTENT_SOURCE_DIR_RONDO_${upper}")
    set(dir "${${from}}")
  elseif(RONDO_THIRD_PARTY_DIR)
    set(from "RONDO_THIRD_PARTY_DIR")
    set(dir "${RONDO_THIRD_PARTY_DIR}/${name}")
  endif()
  if(from)
    if(NOT IS_ABSOLUTE "${dir}" OR NOT IS_DIRECTORY "${dir}")
      message(FATAL_ERROR "${from}: ${dir} is no folder, by its whole path; expected ${expected}")
    endif()
    _rondo_digest("${dir}" actual)
    if(NOT actual STREQUAL digest)
      message(FATAL_ERROR "${from}: the sources in ${dir} are another revision or were changed; "
                          "expected ${expected}")
    endif()
  endif()
  set(${out_dir} "${dir}" PARENT_SCOPE)
  set(${out_from} "${dir}, which ${from} names" PARENT_SCOPE)
endfunction()

# _rondo_found_copy(NAME DIGEST OUT_DIR OUT_FROM): a folder that is there for others, or from an
# earlier configuration: taken where it is the pinned revision.
function(_rondo_found_copy name digest out_dir out_from)
  set(${out_dir} "" PARENT_SCOPE)
  string(TOUPPER "${name}" upper)
  FetchContent_GetProperties(rondo_${name})  # by the project around us
  foreach(dir IN ITEMS "${FETCHCONTENT_SOURCE_DIR_${upper}}" "${rondo_${name}_SOURCE_DIR}"
                       "${FETCHCONTENT_BASE_DIR}/rondo_${name}-src")
    if(IS_ABSOLUTE "${dir}" AND IS_DIRECTORY "${dir}")
      _rondo_digest("${dir}" actual)
      if(actual STREQUAL digest)
        set(${out_dir} "${dir}" PARENT_SCOPE)
        set(${out_from} "the folder ${dir}" PARENT_SCOPE)
        return()
      endif()
      message(STATUS "${name}: ${dir} is another revision, not taken")
    endif()
  endforeach()
endfunction()
