// Attention of every kind against numbers that were computed elsewhere, in double precision.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/json.h"
#include "model/attention/kind_list.h"
#include "unit/model/model_testing.h"

namespace mha {
namespace {

using testing::Block;
using testing::largest_difference;
using testing::layout_of;
using testing::settings_of;

at::Tensor matrix(const json& rows, std::int64_t columns) {
  at::Tensor out = at::empty({static_cast<std::int64_t>(rows.size()), columns}, at::kDouble);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = rows[i].get<std::vector<double>>();
    out[static_cast<std::int64_t>(i)].copy_(at::tensor(row, at::kDouble));
  }
  return out;
}

HeadDims dims_of(const json& one) {
  return {.d_model = one.at("d_model").get<std::int64_t>(),
          .heads = one.at("heads").get<std::int64_t>(),
          .d_k = one.at("d_k").get<std::int64_t>(),
          .d_v = one.value("d_v", one.at("d_k").get<std::int64_t>())};
}

void set(const Block& block, const char* name, const json& values) {
  const at::Tensor& parameter = block.parameters.get(name);
  if (parameter.dim() == 1) {
    parameter.data().copy_(at::tensor(values.get<std::vector<double>>(), at::kDouble));
  } else {
    const at::Tensor value = matrix(values, parameter.size(1));
    ASSERT_EQ(value.sizes(), parameter.sizes()) << name;
    parameter.data().copy_(value);
  }
}

class Golden : public ::testing::TestWithParam<std::string> {};

// tests/cases/numeric/attention.json: no biases, one sequence, padding behind the last key.
TEST_P(Golden, FreeHeadsAndWidths) {
  for (const json& one : read_json(std::filesystem::path(MHA_TEST_DATA) / "numeric/attention.json")) {
    SCOPED_TRACE(one.at("name").get<std::string>());
    const HeadDims dims = dims_of(one);
    const Block block(settings_of(GetParam()), dims, /*bias=*/false, at::kDouble);
    EXPECT_EQ(block.parameters.count(), 4 * dims.d_model * dims.heads * dims.d_k);
    for (const auto& [ours, theirs] : {std::pair{"w_q", "wq"}, {"w_k", "wk"}, {"w_v", "wv"}, {"w_o", "wo"}}) {
      set(block, ours, one.at(theirs));
    }
    const at::Tensor x = matrix(one.at("x"), dims.d_model).requires_grad_(true);
    const std::int64_t length = x.size(0);
    std::int64_t keys = 0;
    for (const json& is_pad : one.at("key_is_pad")) keys += is_pad.get<int>() == 0 ? 1 : 0;
    const SeqLayout queries = layout_of({length}), visible = layout_of({keys});
    const at::Tensor memory = x.narrow(0, 0, keys);
    const AttnOut out = block.attention->forward({x, queries, memory, visible, one.at("causal").get<bool>()}, {}, true);
    EXPECT_LT(largest_difference(out.y, matrix(one.at("expected_out"), dims.d_model)), 1e-8);
    for (std::int64_t head = 0; head < dims.heads; ++head) {
      const at::Tensor expected = matrix(one.at("expected_probs")[static_cast<std::size_t>(head)], length);
      EXPECT_LT(largest_difference(out.weights[0][head], expected.narrow(1, 0, keys)), 1e-8) << "head " << head;
    }
    out.y.square().sum().backward();
    EXPECT_TRUE(at::isfinite(block.parameters.flat_gradients()).all().item<bool>());
    EXPECT_TRUE(at::isfinite(x.grad()).all().item<bool>());
    if (keys == 0) {
      EXPECT_EQ(out.y.abs().max().item<double>(), 0);
    }

    // The same with the padding left in place and hidden by the mask.
    const auto heads = [&](const at::Tensor& projected) { return block.heads(projected, queries); };
    const auto [k, v] = block.attention->project_memory(x);
    AttnMask mask = AttnMask::lengths(at::tensor({keys}));
    if (one.at("causal").get<bool>()) mask = mask & AttnMask::causal();
    const AttnOut masked = block.attention->attend(heads(block.attention->project_queries(x)), heads(k), heads(v), mask,
                                                   {.scale = block.attention->scale()});
    const at::Tensor y = block.attention->project_output(merge_heads(masked.y)[0]);
    EXPECT_LT(largest_difference(y, matrix(one.at("expected_out"), dims.d_model)), 1e-8);
  }
}

json golden_cases() { return read_json(std::filesystem::path(MHA_SOURCE_DIR) / "tests/golden/attention_golden.json"); }

// scripts/golden/make_attention_golden.py: biases, several sequences, values of another width than keys.
TEST_P(Golden, NumPyLoops) {
  int found = 0;
  for (const json& one : golden_cases()) {
    const auto kinds = one.at("kinds").get<std::set<std::string>>();
    if (!kinds.contains(GetParam())) continue;
    ++found;
    SCOPED_TRACE(one.at("name").get<std::string>());
    const HeadDims dims = dims_of(one);
    AttentionSettings settings = settings_of(GetParam());
    settings.scale = ValueOrWord<double>::of(one.at("scale").get<double>());
    const Block block(settings, dims, /*bias=*/true, at::kDouble);
    for (const auto& [name, values] : one.at("weights").items()) set(block, name.c_str(), values);
    const at::Tensor queries = matrix(one.at("queries"), dims.d_model), memory = matrix(one.at("memory"), dims.d_model);
    const SeqLayout q_layout = layout_of(one.at("q_lengths").get<std::vector<std::int64_t>>());
    const SeqLayout k_layout = layout_of(one.at("k_lengths").get<std::vector<std::int64_t>>());
    const AttnOut out =
        block.attention->forward({queries, q_layout, memory, k_layout, one.at("causal").get<bool>()}, {});
    EXPECT_LT(largest_difference(out.y, matrix(one.at("expected"), dims.d_model)), 1e-10);
  }
  EXPECT_GT(found, 0) << "a new kind needs a golden case";
}

INSTANTIATE_TEST_SUITE_P(Kinds, Golden, ::testing::ValuesIn(attention_kind_names()), testing::kind_name);

}  // namespace
}  // namespace mha
