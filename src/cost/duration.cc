#include "cost/duration.h"

#include <cmath>
#include <limits>

#include "cost/batch_rows.h"
#include "cost/parameters.h"
#include "cost/products.h"

namespace mha {

double executed_flops(const RunConfig& config, const RunShape& shape, double source_tokens, double target_tokens) {
  const ProductCount count = training_products(config, shape);
  const double all = count.total().of(source_tokens, target_tokens);
  // Forward pass and twice as much backward; recomputation makes the layers, but not the output, once more.
  const double again = config.train.recompute ? all - count.output.of(source_tokens, target_tokens) : 0;
  return 2 * (3 * all + again);
}

double update_seconds(const RunConfig& config, const RunShape& shape, const TrainingRate& rate) {
  const BatchRows rows = full_batch(config, shape);
  const double passes = executed_flops(config, shape, rows.source, rows.target) / rate.flops_per_second;
  return static_cast<double>(config.train.update_freq) * passes +
         static_cast<double>(parameter_count(config, shape)) / rate.parameters_per_second;
}

double update_tokens(const RunConfig& config, const RunShape& shape) {
  return static_cast<double>(config.train.update_freq) * full_batch(config, shape).target;
}

double planned_updates(const RunConfig& config, const RunShape& shape) {
  double updates = std::numeric_limits<double>::infinity();
  if (config.train.max_update) updates = static_cast<double>(*config.train.max_update);
  if (config.train.max_epoch && shape.pairs > 0) {
    const double tokens = static_cast<double>(shape.pairs) * shape.target_length;
    updates = std::fmin(
        updates, std::ceil(static_cast<double>(*config.train.max_epoch) * tokens / update_tokens(config, shape)));
  }
  return std::isfinite(updates) ? updates : std::numeric_limits<double>::quiet_NaN();
}

double expected_seconds(const RunConfig& config, const RunShape& shape, const TrainingRate& rate) {
  const double seconds = planned_updates(config, shape) * update_seconds(config, shape, rate);
  return config.train.max_seconds ? std::fmin(seconds, *config.train.max_seconds) : seconds;
}

}  // namespace mha
