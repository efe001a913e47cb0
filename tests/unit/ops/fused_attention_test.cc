#include "ops/fused_attention.h"

#include <ATen/ops/matmul.h>
#include <ATen/ops/tensor.h>

#include "ops/masked_softmax.h"
#include "unit/ops/compare.h"

namespace mha {
namespace {

class FusedAttention : public testing::ForEachType {};
MHA_FOR_EACH_TYPE(FusedAttention);

// Query and value widths that differ, odd ones, rows that see nothing, cross-shaped and square.
TEST_P(FusedAttention, AgreesWithThePlainOne) {
  const at::Tensor visible = at::tensor({0, 1, 4, 7, 9, 3}, at::kInt).view({2, 3});
  for (const auto& [d_k, d_v] : {std::pair<std::int64_t, std::int64_t>{8, 8}, {16, 4}, {5, 7}, {1, 1}}) {
    const auto ours = [&](const auto& in) { return fused_attention(in[0], in[1], in[2], visible, 0.3); };
    const auto plain = [&](const auto& in) {
      const at::Tensor scores = at::matmul(in[0] * 0.3, in[1].transpose(-2, -1));
      return at::matmul(reference::prefix_softmax(scores, visible), in[2]);
    };
    testing::expect_agreement(ours, plain, {random({2, 4, 3, d_k}), random({2, 4, 9, d_k}), random({2, 4, 9, d_v})},
                              testing::tolerance(GetParam()));
  }
}

TEST_P(FusedAttention, HiddenKeysDoNotMatter) {
  const at::Tensor visible = at::tensor({2, 3}, at::kInt).view({1, 2});
  const at::Tensor q = random({1, 2, 2, 4}), k = random({1, 2, 5, 4}), v = random({1, 2, 5, 4});
  at::Tensor other_k = k.clone(), other_v = v.clone();
  other_k.narrow(2, 3, 2).fill_(1e4);
  other_v.narrow(2, 3, 2).fill_(-1e4);
  EXPECT_TRUE(at::equal(fused_attention(q, k, v, visible, 1), fused_attention(q, other_k, other_v, visible, 1)));
}

}  // namespace
}  // namespace mha
