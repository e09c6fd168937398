# One object per instruction level beyond the baseline, from the files with hot loops, SGMCMC_HOT_FILES (src/base/levels.hpp).
#
# All symbols except those of the level's namespace are made local, and COMDAT groups are removed, so that
# the linker cannot merge a function compiled for AVX-512 with the same one of another object.
find_program(SGMCMC_LINKER NAMES ${CMAKE_LINKER} ld REQUIRED)
mark_as_advanced(SGMCMC_LINKER)

# Sets `object` to the object file of the level, compiled with the flag.
function(add_level level flag object)
  add_library(sgmcmc_level_${level} OBJECT ${SGMCMC_HOT_FILES})
  target_include_directories(sgmcmc_level_${level} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_include_directories(sgmcmc_level_${level} SYSTEM PRIVATE ${Boost_INCLUDE_DIRS})
  target_link_libraries(sgmcmc_level_${level} PRIVATE sgmcmc_flags Eigen3::Eigen)
  target_compile_definitions(sgmcmc_level_${level} PRIVATE SGMCMC_LEVEL=${level})
  target_compile_options(sgmcmc_level_${level} PRIVATE ${flag})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # static variables of inline functions: objcopy cannot make unique symbols local
    target_compile_options(sgmcmc_level_${level} PRIVATE -fno-gnu-unique)
  endif()
  string(LENGTH ${level} length)
  set(joined ${PROJECT_BINARY_DIR}/levels/${level}.o)
  add_custom_command(
    OUTPUT ${joined}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/levels
    COMMAND ${SGMCMC_LINKER} -r --force-group-allocation -o ${joined}.all $<TARGET_OBJECTS:sgmcmc_level_${level}>
    COMMAND ${CMAKE_OBJCOPY} --wildcard "--keep-global-symbol=_ZN6sgmcmc${length}${level}*" ${joined}.all ${joined}
    COMMAND ${CMAKE_COMMAND} -E rm ${joined}.all
    DEPENDS sgmcmc_level_${level} $<TARGET_OBJECTS:sgmcmc_level_${level}>
    COMMAND_EXPAND_LISTS VERBATIM)
  set_source_files_properties(${joined} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  set(${object} ${joined} PARENT_SCOPE)
endfunction()
