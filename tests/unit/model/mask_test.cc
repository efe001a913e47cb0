#include "model/attention/mask.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/model/model_testing.h"

namespace mha {
namespace {

using testing::largest_difference;
using testing::random_tensor;
using testing::same_bytes;

at::Tensor rows_of_bool(const at::Tensor& visible) { return visible.to(at::kInt); }

TEST(AttnMask, TrueMeansVisible) {
  EXPECT_TRUE(same_bytes(rows_of_bool(AttnMask::none().visible(1, 2, 3)), at::ones({1, 1, 2, 3}, at::kInt)));
  const at::Tensor lengths = AttnMask::lengths(at::tensor({1, 0}, at::kLong)).visible(2, 1, 3);
  EXPECT_TRUE(same_bytes(rows_of_bool(lengths), at::tensor({1, 0, 0, 0, 0, 0}, at::kInt).view({2, 1, 1, 3})));
  const at::Tensor causal = AttnMask::causal().visible(1, 3, 3);
  EXPECT_TRUE(same_bytes(rows_of_bool(causal), at::tensor({1, 0, 0, 1, 1, 0, 1, 1, 1}, at::kInt).view({1, 1, 3, 3})));
  const at::Tensor later = AttnMask::causal(/*past=*/2).visible(1, 2, 4);
  EXPECT_TRUE(same_bytes(rows_of_bool(later), at::tensor({1, 1, 1, 0, 1, 1, 1, 1}, at::kInt).view({1, 1, 2, 4})));
}

TEST(AttnMask, TogetherTheyHideWhatEitherHides) {
  const AttnMask lengths = AttnMask::lengths(at::tensor({2, 3})), shorter = AttnMask::lengths(at::tensor({3, 1}));
  const auto prefix = [](const AttnMask& mask) { return mask.visible_prefix(2, 3, 3).to(at::kLong); };
  EXPECT_TRUE(same_bytes(prefix(lengths & AttnMask::causal()), at::tensor({1, 2, 2, 1, 2, 3}, at::kLong).view({2, 3})));
  EXPECT_TRUE(same_bytes(prefix(AttnMask::causal() & lengths), prefix(lengths & AttnMask::causal())));
  EXPECT_TRUE(same_bytes(prefix(lengths & shorter), at::tensor({2, 2, 2, 1, 1, 1}, at::kLong).view({2, 3})));
  EXPECT_TRUE(same_bytes(prefix(AttnMask::causal(1) & AttnMask::causal(0)), prefix(AttnMask::causal())));
  EXPECT_TRUE(same_bytes(prefix(lengths & AttnMask::none()), prefix(lengths)));
}

TEST(AttnMask, SoftmaxOverTheVisibleKeys) {
  const at::Tensor scores = random_tensor({2, 3, 4, 5}, 1) * 4;
  const at::Tensor weights = (AttnMask::lengths(at::tensor({5, 2})) & AttnMask::causal(1)).softmax(scores);
  for (std::int64_t b = 0; b < 2; ++b) {
    for (std::int64_t i = 0; i < 4; ++i) {
      const std::int64_t seen = std::min<std::int64_t>(b == 0 ? 5 : 2, i + 2);
      const at::Tensor expected = at::softmax(scores[b].select(1, i).narrow(1, 0, seen), -1);
      EXPECT_LT(largest_difference(weights[b].select(1, i).narrow(1, 0, seen), expected), 1e-6);
      EXPECT_EQ(weights[b].select(1, i).narrow(1, seen, 5 - seen).abs().sum().item<float>(), 0);
    }
  }
  EXPECT_EQ(AttnMask::lengths(at::tensor({0, 0})).softmax(scores).abs().max().item<float>(), 0);
}

TEST(Heads, SplitAndMergeKeepBatchAndHeadApart) {
  const at::Tensor x = at::arange(2 * 3 * 8).view({2, 3, 8});
  const at::Tensor heads = split_heads(x, 4);
  EXPECT_EQ(heads.sizes(), at::IntArrayRef({2, 4, 3, 2}));
  for (std::int64_t b = 0; b < 2; ++b) {
    for (std::int64_t h = 0; h < 4; ++h)
      EXPECT_TRUE(same_bytes(heads[b][h], x[b].narrow(1, 2 * h, 2))) << b << ", " << h;
  }
  EXPECT_TRUE(same_bytes(merge_heads(heads), x));
}

}  // namespace
}  // namespace mha
