// What every attention kind of kinds.def must do, over head dimensions that divide d_model, do not, and are unequal.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "model/attention/kind_list.h"
#include "ops/dropout_mask.h"
#include "unit/model/model_testing.h"

namespace mha {
namespace {

using testing::Block;
using testing::largest_difference;
using testing::layout_of;
using testing::random_tensor;
using testing::same_bytes;
using testing::settings_of;
using testing::training_context;

using Param = std::tuple<std::string, HeadDims>;

class AttentionContract : public ::testing::TestWithParam<Param> {
 protected:
  AttentionSettings settings() const { return settings_of(std::get<0>(GetParam())); }
  const HeadDims& dims() const { return std::get<1>(GetParam()); }
  at::Tensor rows(std::int64_t count, std::uint64_t key) const { return random_tensor({count, dims().d_model}, key); }
};

TEST_P(AttentionContract, ShapesAndSizes) {
  const auto& [d_model, heads, d_k, d_v] = dims();
  const Block block(settings(), dims());
  const SeqLayout queries = layout_of({2, 4}), keys = layout_of({5, 3});
  const AttnOut out = block.cross(rows(6, 1), queries, rows(8, 2), keys);
  EXPECT_EQ(out.y.sizes(), at::IntArrayRef({6, d_model}));
  EXPECT_EQ(out.weights.sizes(), at::IntArrayRef({2, heads, 4, 5}));
  const auto shape = [&](const char* name) { return block.parameters.get(name).sizes().vec(); };
  EXPECT_EQ(shape("w_q"), (std::vector{heads * d_k, d_model}));
  EXPECT_EQ(shape("w_k"), (std::vector{heads * d_k, d_model}));
  EXPECT_EQ(shape("w_v"), (std::vector{heads * d_v, d_model}));
  EXPECT_EQ(shape("w_o"), (std::vector{d_model, heads * d_v}));
  EXPECT_EQ(block.parameters.count(), heads * (2 * d_k + 2 * d_v) * d_model + heads * (2 * d_k + d_v) + d_model);
  EXPECT_EQ(Block(settings(), dims(), false).parameters.count(), heads * (2 * d_k + 2 * d_v) * d_model);
}

TEST_P(AttentionContract, ALongNeighbourChangesNothing) {
  const Block block(settings(), dims());
  const at::Tensor x = rows(3, 1), neighbour = rows(60, 2);
  for (const bool causal : {false, true}) {
    const at::Tensor alone = block.self(x, layout_of({3}), causal).y;
    const at::Tensor first = block.self(at::cat({x, neighbour}), layout_of({3, 60}), causal).y.narrow(0, 0, 3);
    const at::Tensor second = block.self(at::cat({neighbour, x}), layout_of({60, 3}), causal).y.narrow(0, 60, 3);
    EXPECT_LT(largest_difference(alone, first), 1e-5);
    EXPECT_LT(largest_difference(alone, second), 1e-5);
  }
}

TEST_P(AttentionContract, ATokenSeesItselfAndWhatIsBefore) {
  const Block block(settings(), dims());
  const SeqLayout layout = layout_of({6, 4});
  const at::Tensor x = rows(10, 1);
  const auto each_head = [&](const at::Tensor& input) {
    const auto [k, v] = block.attention->project_memory(input);
    const AttnMask mask = AttnMask::lengths(at::tensor({6, 4})) & AttnMask::causal();
    return block.attention
        ->attend(block.heads(block.attention->project_queries(input), layout), block.heads(k, layout),
                 block.heads(v, layout), mask, {.want_weights = true})
        .y;
  };
  const at::Tensor before = each_head(x);
  const at::Tensor y = block.self(x, layout, true).y;
  for (std::int64_t changed = 0; changed < 6; ++changed) {
    at::Tensor other = x.clone();
    other[changed].copy_(random_tensor({dims().d_model}, 50));
    const at::Tensor after = each_head(other);
    for (std::int64_t head = 0; head < dims().heads; ++head) {
      const auto same = [&](std::int64_t t) { return same_bytes(after[0][head][t], before[0][head][t]); };
      for (std::int64_t t = 0; t < changed; ++t)
        EXPECT_TRUE(same(t)) << "head " << head << ", " << changed << " -> " << t;
      EXPECT_FALSE(same(changed)) << "head " << head << " does not see its own token " << changed;
    }
    EXPECT_TRUE(same_bytes(after[1], before[1])) << "another sequence saw the change";
    EXPECT_TRUE(same_bytes(block.self(other, layout, true).y.narrow(0, 0, changed), y.narrow(0, 0, changed)));
  }
  const at::Tensor weights = block.self(x, layout, true).weights;
  EXPECT_EQ(at::triu(weights, 1).abs().max().item<float>(), 0);
}

TEST_P(AttentionContract, AQueryWithoutKeysGivesZerosAndHarmsNobody) {
  const auto& [d_model, heads, d_k, d_v] = dims();
  const Block block(settings(), dims());
  const at::Tensor q = random_tensor({2, heads, 3, d_k}, 1).requires_grad_(true);
  const at::Tensor k = random_tensor({2, heads, 5, d_k}, 2).requires_grad_(true);
  const at::Tensor v = random_tensor({2, heads, 5, d_v}, 3).requires_grad_(true);
  const auto attend = [&](std::int64_t first) {
    return block.attention->attend(q, k, v, AttnMask::lengths(at::tensor({first, std::int64_t{4}})),
                                   {.want_weights = true});
  };
  const AttnOut blind = attend(0), seeing = attend(5);
  EXPECT_EQ(blind.y[0].abs().max().item<float>(), 0);
  EXPECT_EQ(blind.weights[0].abs().max().item<float>(), 0);
  EXPECT_TRUE(same_bytes(blind.y[1], seeing.y[1]));
  (blind.y * random_tensor(blind.y.sizes(), 4)).sum().backward();
  EXPECT_EQ(q.grad()[0].abs().max().item<float>(), 0);
  for (const at::Tensor& input : {q, k, v}) EXPECT_TRUE(at::isfinite(input.grad()).all().item<bool>());
  EXPECT_GT(v.grad()[1].abs().max().item<float>(), 0);
}

TEST_P(AttentionContract, AnEmptyMemoryLeavesTheOutputBias) {
  const Block block(settings(), dims());
  const at::Tensor memory = rows(4, 2).requires_grad_(true);
  const AttnOut out = block.cross(rows(5, 1), layout_of({2, 3}), memory, layout_of({0, 4}));
  const at::Tensor bias = block.parameters.get("b_o").detach();
  EXPECT_TRUE(same_bytes(out.y.detach().narrow(0, 0, 2), bias.expand({2, dims().d_model})));
  (out.y * rows(5, 3)).sum().backward();
  EXPECT_TRUE(at::isfinite(block.parameters.flat_gradients()).all().item<bool>());
  EXPECT_TRUE(at::isfinite(memory.grad()).all().item<bool>());
  const at::Tensor alone = block.cross(rows(5, 1).narrow(0, 2, 3), layout_of({3}), memory, layout_of({4})).y;
  EXPECT_LT(largest_difference(out.y.narrow(0, 2, 3), alone), 1e-5);
  const AttnOut nothing = block.cross(rows(5, 1), layout_of({2, 3}), rows(0, 2), layout_of({0, 0}));
  EXPECT_TRUE(same_bytes(nothing.y.detach(), bias.expand({5, dims().d_model})));
}

TEST_P(AttentionContract, WeightsAreBeforeDropoutAndSumToOneInEveryHead) {
  AttentionSettings dropping = settings();
  dropping.attention_dropout = 0.5;
  const Block block(dropping, dims());
  const at::Tensor weights = block.self(rows(9, 1), layout_of({4, 5}), false, training_context()).weights;
  const at::Tensor sums = weights.sum(-1);
  EXPECT_LT(largest_difference(sums[0].narrow(1, 0, 4), at::ones({dims().heads, 4})), 1e-6);
  EXPECT_LT(largest_difference(sums[1], at::ones({dims().heads, 5})), 1e-6);
  EXPECT_EQ(weights[0].narrow(-1, 4, 1).abs().max().item<float>(), 0);  // beyond the end of the short sequence
}

TEST_P(AttentionContract, DropoutIsOnInTrainingOnly) {
  AttentionSettings dropping = settings();
  dropping.attention_dropout = 0.5;
  const Block block(dropping, dims()), plain(settings(), dims());
  const at::Tensor x = rows(20, 1);
  const SeqLayout layout = layout_of({12, 8});
  const auto y = [&](const Block& b, const ForwardContext& context) { return b.self(x, layout, false, context).y; };
  EXPECT_TRUE(same_bytes(y(block, {}), y(plain, {})));
  EXPECT_FALSE(same_bytes(y(block, training_context()), y(plain, training_context())));
  EXPECT_TRUE(same_bytes(y(block, training_context(5)), y(block, training_context(5))));
  EXPECT_FALSE(same_bytes(y(block, training_context(5)), y(block, training_context(6))));
}

// Values that are the rows of the identity show the weights as they are after dropout.
TEST_P(AttentionContract, DropoutFollowsTheNumberingOfTheMasks) {
  const auto& [d_model, heads, d_k, d_v] = dims();
  constexpr std::int64_t t_q = 30;
  const Block block(settings(), dims());
  const at::Tensor q = random_tensor({2, heads, t_q, d_k}, 1), k = random_tensor({2, heads, d_v, d_k}, 2);
  const at::Tensor v = at::eye(d_v).expand({2, heads, d_v, d_v}).contiguous();
  const std::vector<std::int64_t> offsets = {0, 17};
  for (const bool whole_rows : {false, true}) {
    const AttnCall call{
        .dropout = {.p = 0.4, .whole_rows = whole_rows, .key = 77}, .q_offsets = offsets, .want_weights = true};
    const AttnOut out = block.attention->attend(q, k, v, AttnMask::none(), call);
    at::Tensor expected = out.weights.clone();
    for (std::int64_t b = 0; b < 2; ++b) {
      for (std::int64_t h = 0; h < heads; ++h) {
        for (std::int64_t i = 0; i < t_q; ++i) {
          const auto row = static_cast<std::uint64_t>((offsets[static_cast<std::size_t>(b)] + i) * heads + h);
          for (std::int64_t j = 0; j < d_v; ++j) {
            const std::uint64_t number = whole_rows ? row : row * kDropoutBlock + static_cast<std::uint64_t>(j);
            expected[b][h][i][j].mul_(dropout_keeps(77, number, 0.4) ? 1 / 0.6 : 0.0);
          }
        }
      }
    }
    EXPECT_LT(largest_difference(out.y, expected), 1e-6) << (whole_rows ? "row" : "element");
  }
}

TEST_P(AttentionContract, ScalesOfTheScores) {
  const auto& [d_model, heads, d_k, d_v] = dims();
  const SeqLayout layout = layout_of({7});
  const at::Tensor x = rows(7, 1) * 3;
  const auto weights = [&](const ValueOrWord<double>& scale) {
    AttentionSettings scaled = settings();
    scaled.scale = scale;
    return Block(scaled, dims()).self(x, layout, false).weights;
  };
  const Block block(settings(), dims());
  const at::Tensor q = block.heads(block.attention->project_queries(x), layout);
  const at::Tensor k = block.heads(block.attention->project_memory(x).k, layout);
  const auto expected = [&](double scale) { return at::softmax(at::matmul(q, k.transpose(2, 3)) * scale, -1); };
  const double usual = 1 / std::sqrt(static_cast<double>(d_k));
  EXPECT_LT(largest_difference(weights(ValueOrWord<double>::of_word("sqrt_dk")), expected(usual)), 1e-5);
  EXPECT_LT(largest_difference(weights(ValueOrWord<double>::of_word("none")), expected(1)), 1e-5);
  EXPECT_LT(largest_difference(weights(ValueOrWord<double>::of(0.3)), expected(0.3)), 1e-5);
}

TEST_P(AttentionContract, TheOutputMatrixStartsAtItsGain) {
  AttentionSettings small = settings();
  small.out_init_gain = 0.25;
  const Block usual(settings(), dims()), quarter(small, dims());
  EXPECT_TRUE(same_bytes(quarter.parameters.get("w_o").detach(), usual.parameters.get("w_o").detach() * 0.25));
  for (const char* name : {"w_q", "w_k", "w_v"}) {
    EXPECT_TRUE(same_bytes(quarter.parameters.get(name).detach(), usual.parameters.get(name).detach())) << name;
  }
  const double bound = std::sqrt(6.0 / static_cast<double>(dims().heads * dims().d_v + dims().d_model));
  EXPECT_LE(usual.parameters.get("w_o").abs().max().item<double>(), bound);
}

std::vector<Param> grid() {
  const std::vector<HeadDims> all = {{16, 4, 4, 4}, {6, 4, 2, 3},   {10, 3, 4, 4},
                                     {4, 1, 1, 1},  {12, 12, 1, 2}, {64, 12, 6, 6}};
  std::vector<Param> params;
  for (const std::string& kind : attention_kind_names()) {
    for (const HeadDims& dims : all) params.emplace_back(kind, dims);
  }
  return params;
}

std::string name_of_case(const ::testing::TestParamInfo<Param>& test) {
  const auto& [kind, dims] = test.param;
  std::string name = kind;
  for (const std::int64_t number : {dims.d_model, dims.heads, dims.d_k, dims.d_v}) name += "_" + std::to_string(number);
  return name;
}

INSTANTIATE_TEST_SUITE_P(Kinds, AttentionContract, ::testing::ValuesIn(grid()), name_of_case);

class AttentionKind : public ::testing::TestWithParam<std::string> {};

TEST_P(AttentionKind, WithoutOutputMatrixTheHeadsAreTheOutput) {
  AttentionSettings bare = settings_of(GetParam());
  bare.output_projection = false;
  const HeadDims dims{.d_model = 6, .heads = 3, .d_k = 5, .d_v = 2};
  const Block block(bare, dims);
  EXPECT_EQ(block.parameters.count(), 6 * 3 * (5 + 5 + 2) + 3 * (5 + 5 + 2));
  const SeqLayout layout = layout_of({4});
  const at::Tensor x = random_tensor({4, 6}, 1);
  const AttnOut out = block.self(x, layout, false);
  const at::Tensor v = block.attention->project_memory(x).v;
  for (std::int64_t head = 0; head < 3; ++head) {
    const at::Tensor expected = at::matmul(out.weights[0][head], v.narrow(1, 2 * head, 2));
    EXPECT_LT(largest_difference(out.y.narrow(1, 2 * head, 2), expected), 1e-6) << "head " << head;
  }
}

TEST_P(AttentionKind, ManyWideHeads) {
  const HeadDims dims{.d_model = 512, .heads = 12, .d_k = 43, .d_v = 43};  // 512 / 12, rounded up
  const Block block(settings_of(GetParam()), dims);
  EXPECT_EQ(block.self(random_tensor({9, 512}, 1), layout_of({4, 5}), true).y.sizes(), at::IntArrayRef({9, 512}));
  EXPECT_EQ(block.parameters.count(), 4 * 512 * 12 * 43 + 3 * 12 * 43 + 512);
}

INSTANTIATE_TEST_SUITE_P(Kinds, AttentionKind, ::testing::ValuesIn(attention_kind_names()), testing::kind_name);

}  // namespace
}  // namespace mha
