#include "cost/one_head.h"

#include <gtest/gtest.h>

#include "cost/attention_blocks.h"
#include "cost/products.h"
#include "unit/cost/cost_testing.h"

namespace mha {
namespace {

using testing::small_config;
using testing::small_shape;

TEST(OneHead, IsAsWideAsAllTogether) {
  RunConfig config = small_config();
  config.attention.cross.patch = {{"d_v", 2}, {"layers", {{"2", {{"num_heads", 7}, {"output_projection", false}}}}}};
  config.model.d_model = 14;
  const std::optional<RunConfig> one = with_one_head(config);
  ASSERT_TRUE(one);
  const std::vector<AttentionBlock> before = attention_blocks(config), after = attention_blocks(*one);
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(after[i].dims.heads, 1);
    EXPECT_EQ(after[i].dims.d_k, before[i].dims.heads * before[i].dims.d_k);
    EXPECT_EQ(after[i].dims.d_v, before[i].dims.heads * before[i].dims.d_v);
    EXPECT_EQ(after[i].output_projection, before[i].output_projection);
    EXPECT_EQ(after[i].place, before[i].place);
  }
  EXPECT_EQ(train_flops_per_token(*one, small_shape()), train_flops_per_token(config, small_shape()));
}

TEST(OneHead, NothingToCompareWith) {
  RunConfig config = small_config();
  config.attention.num_heads = 1;
  EXPECT_FALSE(with_one_head(config));
  config.attention.num_heads = 1024;
  config.attention.d_k = ValueOrWord<std::int64_t>::of(17);  // 17,408 is wider than d_k may be
  EXPECT_FALSE(with_one_head(config));
}

}  // namespace
}  // namespace mha
