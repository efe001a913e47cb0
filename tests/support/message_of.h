#pragma once

#include <string>

#include "base/error.h"

namespace mha::testing {

/// The message of the UserError that `action` throws; "nothing was thrown" without one.
template <class F>
std::string message_of(F&& action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace mha::testing
