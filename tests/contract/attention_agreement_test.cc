// Every kind computes the same function as the slow loop over heads, in values and in gradients.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/attention/kind_list.h"
#include "unit/model/model_testing.h"

namespace mha {
namespace {

using testing::Block;
using testing::largest_difference;
using testing::layout_of;
using testing::random_tensor;
using testing::settings_of;
using testing::training_context;

std::vector<std::string> other_kinds() {
  std::vector<std::string> names = attention_kind_names();
  std::erase(names, "per_head");
  return names;
}

class AgreesWithPerHead : public ::testing::TestWithParam<std::string> {};

/// Values, then the gradients of queries, memory and every parameter.
std::vector<at::Tensor> results(const Block& block, bool causal, bool own_memory) {
  const std::int64_t d_model = block.attention->dims().d_model;
  const SeqLayout layout = layout_of({5, 1, 3}), other_layout = layout_of({2, 4, 0});
  const at::Tensor x = random_tensor({9, d_model}, 1).requires_grad_(true);
  const at::Tensor memory = own_memory ? x : random_tensor({6, d_model}, 2).requires_grad_(true);
  const AttnOut out = block.attention->forward({x, layout, memory, own_memory ? layout : other_layout, causal},
                                               training_context(), true);
  (out.y * random_tensor(out.y.sizes(), 3)).sum().backward();
  std::vector<at::Tensor> all = {out.y.detach(), out.weights.detach(), x.grad(), memory.grad()};
  for (const auto& parameter : block.parameters.all()) all.push_back(parameter.value.grad());
  return all;
}

TEST_P(AgreesWithPerHead, InValuesAndGradients) {
  for (const HeadDims& dims :
       {HeadDims{16, 4, 4, 4}, HeadDims{6, 4, 2, 3}, HeadDims{10, 3, 4, 7}, HeadDims{4, 1, 1, 1}}) {
    for (const double p : {0.0, 0.3}) {
      for (const auto dropped : {AttnDropoutKind::element, AttnDropoutKind::row}) {
        AttentionSettings settings = settings_of(GetParam()), slow = settings_of("per_head");
        settings.attention_dropout = slow.attention_dropout = p;
        settings.attention_dropout_kind = slow.attention_dropout_kind = dropped;
        for (const auto& [causal, own_memory] : {std::pair{false, true}, {true, true}, {false, false}}) {
          const auto ours = results(Block(settings, dims), causal, own_memory);
          const auto theirs = results(Block(slow, dims), causal, own_memory);
          for (std::size_t i = 0; i < theirs.size(); ++i) {
            EXPECT_LT(largest_difference(ours[i], theirs[i]), 1e-5)
                << "result " << i << ", heads " << dims.heads << ", p " << p << ", causal " << causal;
          }
          EXPECT_GT(theirs[2].abs().max().item<float>(), 1e-4);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, AgreesWithPerHead, ::testing::ValuesIn(other_kinds()), testing::kind_name);

}  // namespace
}  // namespace mha
