// The message of the error that a call throws, for tests of messages.
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace sgmcmc::testing {

/// The message of the error of type Kind that call() throws; the test fails if it throws none.
template <class Kind, class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const Kind& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error of the expected kind";
  return {};
}

}  // namespace sgmcmc::testing
