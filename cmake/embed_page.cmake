# Writes the definitions of src/report/page_assets.hpp: cmake -D FOLDER=src/report/page -D OUT=page_assets.cpp -P embed_page.cmake
# The scripts are joined in the order of their names, inside one function, so that they define no globals.
file(GLOB scripts ${FOLDER}/*.js)
file(GLOB styles ${FOLDER}/*.css)
list(SORT scripts)
list(SORT styles)

function(joined_text result)
  set(all "")
  foreach(file IN LISTS ARGN)
    file(READ ${file} text)
    string(APPEND all "${text}")
  endforeach()
  set(${result} "${all}" PARENT_SCOPE)
endfunction()

joined_text(script ${scripts})
joined_text(style ${styles})
set(script "\n(() => {\n\"use strict\";\n${script}})();\n")
string(SHA256 hash "${script}")

# Some compilers limit a literal to about 64 kB; adjacent literals are joined.
function(literal result text)
  string(LENGTH "${text}" length)
  set(literals "")
  set(begin 0)
  while(begin LESS length)
    string(SUBSTRING "${text}" ${begin} 8000 piece)
    string(APPEND literals "R\"page~(${piece})page~\"\n")
    math(EXPR begin "${begin} + 8000")
  endwhile()
  set(${result} "${literals}" PARENT_SCOPE)
endfunction()
literal(script "${script}")
literal(style "${style}")
file(WRITE ${OUT}.new "// Made by cmake/embed_page.cmake from src/report/page.\n#include \"report/page_assets.hpp\"\n
namespace sgmcmc {\n
std::string_view page_script() {\n  return ${script};\n}\nstd::string_view page_style() {\n  return ${style};\n}
std::string_view page_script_hash() { return \"${hash}\"; }\n\n}  // namespace sgmcmc\n")
file(RENAME ${OUT}.new ${OUT})
