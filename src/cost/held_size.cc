#include "cost/held_size.h"

#include <algorithm>
#include <cmath>

#include "cost/parameters.h"
#include "cost/products.h"

namespace mha {
namespace {

/// The greatest value of model.d_ff, from its row in the table of keys.
std::int64_t greatest_d_ff() {
  double greatest = 0;
  auto visit = [&](auto, const char* key, const Rule& rule, const char*) {
    if (std::string_view(key) == "d_ff") greatest = rule.max;
  };
  ModelConfig::fields(visit);
  return static_cast<std::int64_t>(greatest);
}

/// `size_of` is a straight line in d_ff, so two points tell where it meets `wanted`.
template <class F>
HeldSize fit(RunConfig config, double wanted, F&& size_of) {
  const auto size_with = [&](std::int64_t d_ff) {
    config.model.d_ff = d_ff;
    return static_cast<double>(size_of(config));
  };
  const double first = size_with(1), slope = size_with(2) - first;
  const double meets = std::clamp(1 + (wanted - first) / slope, 1.0, static_cast<double>(greatest_d_ff()));
  const std::int64_t d_ff = std::llround(meets);
  return {.d_ff = d_ff, .wanted = wanted, .got = size_with(d_ff)};
}

}  // namespace

HeldSize d_ff_for_parameters(const RunConfig& config, const RunShape& shape, std::int64_t parameters) {
  return fit(config, static_cast<double>(parameters),
             [&](const RunConfig& changed) { return parameter_count(changed, shape); });
}

HeldSize d_ff_for_flops(const RunConfig& config, const RunShape& shape, double flops_per_token) {
  return fit(config, flops_per_token, [&](const RunConfig& changed) { return train_flops_per_token(changed, shape); });
}

}  // namespace mha
