#pragma once

#include <string>

#include "base/error.h"

namespace mha::testing {

/// The message of the E that `action` throws; "nothing was thrown" without one.
template <class E = UserError, class F>
std::string message_of(F&& action) {
  try {
    action();
  } catch (const E& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace mha::testing
