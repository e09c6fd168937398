# Installs the build tree BUILD to a fresh prefix, then configures, builds and runs the consumer beside this file.
# Call: cmake -D BUILD=... -D CXX=... -D FLAGS=... -D WORK=... -D PYTHON=... -D MODELS=... -P run.cmake
file(REMOVE_RECURSE ${WORK})
function(must)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGV}\n${output}")
  endif()
endfunction()

must(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
file(GLOB_RECURSE installed RELATIVE ${WORK}/prefix ${WORK}/prefix/*)
foreach(file IN LISTS installed)
  if(NOT file MATCHES "^include/sgmcmc/[a-z_0-9]+\\.hpp$" AND NOT file MATCHES "/libsgmcmc\\.a$"
     AND NOT file STREQUAL "bin/sgmcmc" AND NOT file STREQUAL "share/man/man1/sgmcmc.1.gz"
     AND NOT file STREQUAL "share/doc/sgmcmc/copyright" AND NOT file MATCHES "/cmake/sgmcmc/sgmcmc[A-Za-z-]*\\.cmake$")
    message(FATAL_ERROR "unexpected file installed: ${file}")
  endif()
endforeach()
must(${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK}/build -D CMAKE_PREFIX_PATH=${WORK}/prefix
     -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_CXX_FLAGS=${FLAGS})
must(${CMAKE_COMMAND} --build ${WORK}/build)
must(${WORK}/build/consumer)
if(EXISTS ${WORK}/prefix/bin/sgmcmc)
  must(${WORK}/prefix/bin/sgmcmc --version)
  # The same bits as the program: by nuts, and by minibatches with generated quantities that draw random numbers.
  set(compare ${PYTHON} ${CMAKE_CURRENT_LIST_DIR}/compare_draws.py ${WORK}/build/sample_stan ${WORK}/prefix/bin/sgmcmc)
  must(${compare} ${MODELS}/eight_schools_noncentred.stan ${MODELS}/eight_schools_noncentred.json 7 ${WORK}/by_nuts)
  must(${compare} ${CMAKE_CURRENT_LIST_DIR}/logistic.stan 100000 7 ${WORK}/by_minibatches)
endif()
