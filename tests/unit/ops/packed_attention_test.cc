#include "ops/packed_attention.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <limits>
#include <numeric>

#include "unit/ops/compare.h"

namespace mha {
namespace {

SeqLayout layout_of(const std::vector<std::int64_t>& lengths) {
  std::vector<std::int64_t> offsets(lengths.size() + 1, 0);
  std::partial_sum(lengths.begin(), lengths.end(), offsets.begin() + 1);
  return SeqLayout(offsets);
}

struct Widths {
  std::int64_t heads, d_k, d_v;
};

class PackedAttentionTypes : public testing::ForEachType {
 protected:
  std::vector<at::Tensor> inputs(const SeqLayout& q, const SeqLayout& k, const Widths& w) const {
    return {random({q.total(), w.heads * w.d_k}), random({k.total(), w.heads * w.d_k}),
            random({k.total(), w.heads * w.d_v})};
  }
  void agree(const SeqLayout& q, const SeqLayout& k, const Widths& w, PackedAttention options) const {
    options.heads = w.heads;
    options.scale = 0.5;
    testing::expect_agreement(
        [&](const auto& in) { return packed_attention(in[0], in[1], in[2], q, k, options); },
        [&](const auto& in) { return reference::packed_attention(in[0], in[1], in[2], q, k, options); },
        inputs(q, k, w), 2 * testing::tolerance(GetParam()));
  }
};
MHA_FOR_EACH_TYPE(PackedAttentionTypes);

const SeqLayout kShort = layout_of({3, 1, 7, 0, 17, 2}), kOther = layout_of({5, 1, 16, 3, 2, 33}),
                kLong = layout_of({130, 49});
const AttnDropout kElements{.p = 0.3, .whole_rows = false, .key = 5}, kRows{.p = 0.3, .whole_rows = true, .key = 5};

TEST_P(PackedAttentionTypes, SelfAttention) { agree(kShort, kShort, {4, 8, 8}, {}); }
TEST_P(PackedAttentionTypes, OddWidths) { agree(kShort, kShort, {3, 5, 7}, {}); }
TEST_P(PackedAttentionTypes, OneHeadOfWidthOne) { agree(kShort, kShort, {1, 1, 1}, {.causal = true}); }
TEST_P(PackedAttentionTypes, Causal) { agree(kShort, kShort, {2, 16, 33}, {.causal = true}); }
TEST_P(PackedAttentionTypes, Cross) { agree(kShort, kOther, {2, 9, 4}, {}); }
TEST_P(PackedAttentionTypes, SequencesOfOne) {
  agree(layout_of({1, 1, 1}), layout_of({1, 1, 1}), {2, 4, 4}, {.causal = true});
}
TEST_P(PackedAttentionTypes, ManyQueryBlocks) {
  agree(kLong, kLong, {2, 8, 8}, {.causal = true, .dropout = kElements});
}
TEST_P(PackedAttentionTypes, MoreKeysThanQueries) {
  agree(layout_of({60, 2}), kLong, {2, 8, 8}, {.dropout = kElements});
}
TEST_P(PackedAttentionTypes, WithElementDropout) { agree(kShort, kOther, {4, 8, 8}, {.dropout = kElements}); }
TEST_P(PackedAttentionTypes, WithRowDropout) { agree(kShort, kShort, {4, 8, 8}, {.causal = true, .dropout = kRows}); }
TEST_P(PackedAttentionTypes, NoKeysGiveZeros) {
  agree(kShort, layout_of({2, 0, 3, 1, 0, 0}), {2, 4, 4}, {.dropout = kElements});
}

TEST_P(PackedAttentionTypes, ASequenceWithoutKeysDisturbsNoOther) {
  const SeqLayout q = layout_of({3, 4}), all = layout_of({2, 5}), some = layout_of({2, 0});
  const std::vector<at::Tensor> in = inputs(q, all, {2, 4, 4});
  const PackedAttention options{.heads = 2, .scale = 0.5};
  const at::Tensor seed = at::randn({7, 8});
  const auto with = testing::value_and_gradients(
      [&](const auto& x) { return packed_attention(x[0], x[1], x[2], q, all, options); }, in, seed);
  const auto without =
      testing::value_and_gradients([&](const auto& x) { return packed_attention(x[0], x[1], x[2], q, some, options); },
                                   {in[0], in[1].narrow(0, 0, 2), in[2].narrow(0, 0, 2)}, seed);
  EXPECT_TRUE((without[0].narrow(0, 3, 4) == 0).all().item<bool>());
  EXPECT_TRUE((without[1].narrow(0, 3, 4) == 0).all().item<bool>());
  EXPECT_TRUE(at::equal(with[0].narrow(0, 0, 3), without[0].narrow(0, 0, 3)));
  EXPECT_TRUE(at::equal(with[1].narrow(0, 0, 3), without[1].narrow(0, 0, 3)));
  for (const std::size_t i : {2U, 3U}) EXPECT_TRUE(at::equal(with[i].narrow(0, 0, 2), without[i]));
}

TEST_P(PackedAttentionTypes, TheCompanyOfASequenceDoesNotMatter) {
  const SeqLayout both = layout_of({6, 40}), alone = layout_of({6});
  const std::vector<at::Tensor> in = inputs(both, both, {3, 5, 5});
  const PackedAttention options{.heads = 3, .causal = true, .scale = 0.5};
  const at::Tensor together = packed_attention(in[0], in[1], in[2], both, both, options).narrow(0, 0, 6);
  EXPECT_TRUE(at::equal(together, packed_attention(in[0].narrow(0, 0, 6), in[1].narrow(0, 0, 6), in[2].narrow(0, 0, 6),
                                                   alone, alone, options)));
}

TEST_P(PackedAttentionTypes, TakesColumnsOfAWiderProjection) {
  const PackedAttention options{.heads = 2, .scale = 0.5};
  const at::Tensor joint = random({kShort.total(), 36});  // q, k: 2 heads of 5; v: 2 heads of 8
  const auto split = [&](const at::Tensor& x) {
    return packed_attention(x.narrow(1, 0, 10), x.narrow(1, 10, 10), x.narrow(1, 20, 16), kShort, kShort, options);
  };
  testing::expect_agreement([&](const auto& in) { return split(in[0]); },
                            [&](const auto& in) {
                              return reference::packed_attention(in[0].narrow(1, 0, 10), in[0].narrow(1, 10, 10),
                                                                 in[0].narrow(1, 20, 16), kShort, kShort, options);
                            },
                            {joint}, 2 * testing::tolerance(GetParam()));
}

TEST_P(PackedAttentionTypes, IsTheSameForAnyNumberOfThreads) {
  const SeqLayout layout = layout_of({20, 3, 31, 9, 14, 25, 8, 40});
  testing::expect_thread_independent(
      [&](const auto& in) {
        return packed_attention(in[0], in[1], in[2], layout, layout,
                                {.heads = 4, .causal = true, .dropout = kElements});
      },
      inputs(layout, layout, {4, 8, 8}));
}

TEST(PackedAttentionValues, SharpScoresPickOneKeyAndNaNIsSeen) {
  const SeqLayout one = layout_of({1}), three = layout_of({3});
  at::Tensor k = at::zeros({3, 1});
  k[1].fill_(1);
  const at::Tensor v = at::randn({3, 1}), q = at::full({1, 1}, 1e4);
  EXPECT_FLOAT_EQ(packed_attention(q, k, v, one, three, {}).item<float>(), v[1].item<float>());
  k[2].fill_(std::numeric_limits<float>::quiet_NaN());
  EXPECT_TRUE(packed_attention(q, k, v, one, three, {}).isnan().item<bool>());
}

TEST(PackedAttentionShapes, AreChecked) {
  const at::Tensor x = at::zeros({9, 6}), y = at::zeros({8, 6});
  const SeqLayout nine = layout_of({4, 5}), one_more = layout_of({4, 4, 1});
  EXPECT_THROW(packed_attention(y, x, x, nine, nine, {}), c10::Error);
  EXPECT_THROW(packed_attention(x, x, x, nine, one_more, {}), c10::Error);
  EXPECT_THROW(packed_attention(x, x, x, nine, nine, {.heads = 4}), c10::Error);
}

}  // namespace
}  // namespace mha
