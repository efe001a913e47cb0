#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/message_of.h"
#include "support/temporary_folder.h"
#include "sweep/plan.h"

namespace mha::testing {

/// A toy bill that can be done in the head: 2 layers' worth of everything, no vocabulary.
inline std::int64_t toy_parameters(const RunConfig& config) {
  const HeadDims dims = head_dims(config.attention, config.model.d_model);
  return 4 * dims.d_model * dims.heads * dims.d_k + 2 * dims.d_model * config.model.d_ff;
}
inline RunCost toy_cost(const RunConfig& config) {
  RunCost cost;
  cost.parameters = toy_parameters(config);
  cost.train_flops_per_token = 6.0 * static_cast<double>(cost.parameters);
  cost.decode_flops_per_token = 2.0 * static_cast<double>(cost.parameters);
  cost.memory_bytes = 1000 * cost.parameters;
  cost.seconds = 60;
  return cost;
}
/// d_ff for so many toy parameters, at least 1.
inline std::int64_t toy_d_ff(const RunConfig& config, double wanted) {
  RunConfig without = config;
  without.model.d_ff = 0;
  const double left = wanted - static_cast<double>(toy_parameters(without));
  return std::max<std::int64_t>(1, std::llround(left / static_cast<double>(2 * config.model.d_model)));
}
inline PlanFunctions toy_functions() {
  return {.cost = toy_cost,
          .d_ff_for_parameters = toy_d_ff,
          .d_ff_for_flops = [](const RunConfig& config, double wanted) { return toy_d_ff(config, wanted / 6); }};
}

/// A base configuration of d_model 16 in a folder of its own, and plans made of it.
class PlanFiles {
 public:
  /// `more`: further keys, as the inside of an object.
  explicit PlanFiles(const std::string& more = "") { write(more); }
  void write(const std::string& more) const {
    folder_.write("base.json",
                  R"({"data": {"train": {"source": ["t.en"], "target": ["t.de"]}}, "train": {"max_update": 10},
                                   "model": {"d_model": 16, "d_ff": 64})" +
                      (more.empty() ? "" : ", " + more) + "}");
  }
  PlanRequest request(std::vector<std::string> axes) const {
    PlanRequest request;
    request.file = folder_ / "base.json";
    request.axes = std::move(axes);
    request.kinds = {"scaled_dot", "per_head"};
    return request;
  }
  SweepPlan plan(std::vector<std::string> axes) const { return make_plan(request(std::move(axes)), toy_functions()); }
  SweepPlan plan(std::vector<std::string> axes, Hold hold) const {
    PlanRequest asked = request(std::move(axes));
    asked.hold = hold;
    return make_plan(asked, toy_functions());
  }
  std::string refusal(std::vector<std::string> axes, Hold hold = Hold::nothing) const {
    return message_of([&] { plan(std::move(axes), hold); });
  }
  const TemporaryFolder& folder() const { return folder_; }

 private:
  TemporaryFolder folder_;
};

/// The cells' names, in order.
inline std::vector<std::string> cell_names(const SweepPlan& plan) {
  std::vector<std::string> names;
  for (const PlannedRun& run : plan.runs) {
    if (names.empty() || names.back() != run.run.cell) names.push_back(run.run.cell);
  }
  return names;
}

/// The first run of a cell.
inline const PlannedRun& run_of(const SweepPlan& plan, const std::string& cell) {
  for (const PlannedRun& run : plan.runs) {
    if (run.run.cell == cell) return run;
  }
  throw std::runtime_error("no cell " + cell);
}

}  // namespace mha::testing
