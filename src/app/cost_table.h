#pragma once

#include <optional>
#include <string>

#include "base/json.h"
#include "config/config.h"
#include "cost/duration.h"
#include "cost/memory.h"
#include "cost/parameters.h"
#include "cost/products.h"
#include "cost/run_shape.h"

namespace mha {

/// All that is to be said of one configuration.
struct CostBill {
  ParameterCount parameters;
  ProductCount training, decoding;
  MemoryBill memory;
  double train_flops_per_token = 0, decode_flops_per_token = 0;
  std::optional<TrainingRate> rate;
  double tokens_per_second = 0, seconds = 0;  // of training, target tokens; NaN if not known
};
CostBill make_bill(const RunConfig& config, const RunShape& shape, const std::optional<TrainingRate>& rate);

/// The bill of a configuration, and of the same with one head at every place, if that differs.
struct CostComparison {
  RunShape shape;
  CostBill configured;
  std::optional<CostBill> one_head;
};
json to_json(const CostComparison& cost);
std::string cost_tables(const CostComparison& cost);

}  // namespace mha
