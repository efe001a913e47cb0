#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "base/random.h"
#include "ops/dropout.h"

namespace mha {

/// What a forward pass needs besides its inputs. There is no hidden mode: dropout is on exactly if `training` is.
struct ForwardContext {
  bool training = false;
  /// Of (seed, update, micro-batch); with a site's number it gives that site's dropout mask.
  std::uint64_t step_key = 0;
  /// Keep each layer's input only and make the rest again in the backward pass; see ops/recompute.h.
  bool recompute = false;
  /// Type of activations and matrix products: float or bfloat16 (double in tests).
  at::ScalarType dtype = at::kFloat;

  /// Rows of the whole batch that come before those at hand; see DropoutSpec.
  std::int64_t first_row = 0;

  /// Dropout at a site, with probability p in training.
  DropoutSpec dropout(double p, std::uint64_t site) const {
    return {.p = training ? p : 0.0, .key = derive_key({step_key, site}), .first_row = first_row};
  }
  ForwardContext from_row(std::int64_t row) const {
    ForwardContext context = *this;
    context.first_row = row;
    return context;
  }
};

/// Numbers the places that drop out, in the order in which the model is built.
class SiteCounter {
 public:
  std::uint64_t next() { return next_++; }

 private:
  std::uint64_t next_ = 0;
};

}  // namespace mha
