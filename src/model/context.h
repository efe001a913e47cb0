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
  /// Type of activations and matrix products: float or bfloat16 (double in tests).
  at::ScalarType dtype = at::kFloat;

  double drop(double p) const { return training ? p : 0.0; }
  DropoutKey key(std::uint64_t site) const { return derive_key({step_key, site}); }
};

/// Numbers the places that drop out, in the order in which the model is built.
class SiteCounter {
 public:
  std::uint64_t next() { return next_++; }

 private:
  std::uint64_t next_ = 0;
};

}  // namespace mha
