# Writes the files of the page at / of `rondo serve` into a C++ source, as arrays of bytes:
#   cmake -DFOLDER=tools/serve/page -DOUT=page_files.cc -P platforms/cmake/page.cmake
# index.html is at /, the others are below /page/.
set(type_of_html "text/html; charset=utf-8")
set(type_of_css "text/css; charset=utf-8")
set(type_of_js "text/javascript; charset=utf-8")
set(type_of_svg "image/svg+xml")

file(GLOB files "${FOLDER}/*.html" "${FOLDER}/*.css" "${FOLDER}/*.js" "${FOLDER}/*.svg")
set(arrays "")
set(rows "")
foreach(file IN LISTS files)
  cmake_path(GET file FILENAME name)
  cmake_path(GET file EXTENSION LAST_ONLY extension)
  string(SUBSTRING "${extension}" 1 -1 extension)
  set(path "/page/${name}")
  if(name STREQUAL "index.html")
    set(path "/")
  endif()
  string(MAKE_C_IDENTIFIER "${name}" array)
  file(READ "${file}" bytes HEX)
  string(REGEX REPLACE "(................................................)" "\\1\n   " bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" " '\\\\x\\1'," bytes "${bytes}")
  string(APPEND arrays "constexpr char k_${array}[] = {\n   ${bytes}\n};\n")
  string(APPEND rows "    {\"${path}\", \"${type_of_${extension}}\", {k_${array}, sizeof(k_${array})}},\n")
endforeach()
file(CONFIGURE OUTPUT "${OUT}" @ONLY NEWLINE_STYLE UNIX CONTENT [[
// Written by platforms/cmake/page.cmake.
#include "tools/serve/page/files.h"

namespace rondo::tools::serve {
namespace {

@arrays@
constexpr Page kPages[] = {
@rows@};

}  // namespace

std::span<const Page> PageFiles() { return kPages; }

}  // namespace rondo::tools::serve
]])
file(TOUCH "${OUT}")  # make goes by the time, even where nothing in it changed
