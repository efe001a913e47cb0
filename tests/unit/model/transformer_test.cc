#include "model/transformer.h"

#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "unit/model/model_testing.h"

namespace mha {
namespace {

using testing::batch_of;
using testing::ids_of;
using testing::kBos;
using testing::kEos;
using testing::largest_difference;
using testing::same_bytes;
using testing::sentence;
using testing::Sentences;
using testing::small_spec;
using testing::training_context;

Transformer::Spec dropping_spec() {
  Transformer::Spec spec = small_spec();
  spec.model.dropout = 0.5;
  return spec;
}

// A short sentence scores the same alone and beside one of 60 tokens, also when the padding symbol's embedding is huge.
TEST(Transformer, ScoresDoNotDependOnTheNeighbours) {
  Transformer::Spec spec = small_spec();
  spec.model.share_decoder_input_output_embed = false;
  Transformer model(spec, at::kCPU);
  for (const char* table : {"source_embedding", "target_embedding"}) model.parameters().get(table).data()[0].fill_(1e6);
  const at::NoGradGuard no_grad;
  const std::vector<std::int32_t> source = sentence(4, 1), target = sentence(3, 2), long_source = sentence(60, 3),
                                  long_target = sentence(60, 4);
  const at::Tensor alone = model.token_log_probs(batch_of({source}, {target}), {});
  const at::Tensor first = model.token_log_probs(batch_of({source, long_source}, {target, long_target}), {});
  const at::Tensor second = model.token_log_probs(batch_of({long_source, source}, {long_target, target}), {});
  EXPECT_LT(largest_difference(alone, first.narrow(0, 0, 4)), 1e-5);
  EXPECT_LT(largest_difference(alone, second.narrow(0, 61, 4)), 1e-5);

  const auto best_tokens = [&](const Sentences& sources, const Sentences& prefixes) {
    const PackedIds ids = ids_of(sources);
    return model.log_probs(model.decode(model.encode(ids, {}), ids.layout, ids_of(prefixes), {})).argmax(-1);
  };
  EXPECT_TRUE(same_bytes(best_tokens({source}, {target}),
                         best_tokens({source, long_source}, {target, long_target}).narrow(0, 0, 3)));
}

// The loss of a pair is the same alone and with a longer one: nothing but target tokens and EOS is in it.
TEST(Transformer, LossesOfPairsAddUp) {
  Transformer model(small_spec(), at::kCPU);
  const at::NoGradGuard no_grad;
  const std::vector<std::int32_t> one = sentence(1, 1), thirty = sentence(30, 2);
  const TokenLoss a = model.loss(batch_of({one}, {one}), 0.1, {}),
                  b = model.loss(batch_of({thirty}, {thirty}), 0.1, {});
  const TokenLoss both = model.loss(batch_of({one, thirty}, {one, thirty}), 0.1, {});
  EXPECT_NEAR(both.nll.item<double>(), a.nll.item<double>() + b.nll.item<double>(), 1e-4);
  EXPECT_NEAR(both.smoothed.item<double>(), a.smoothed.item<double>() + b.smoothed.item<double>(), 1e-4);
  const double from_scores = -model.token_log_probs(batch_of({one}, {one}), {}).sum().item<double>();
  EXPECT_NEAR(a.nll.item<double>(), from_scores, 1e-5);
  EXPECT_EQ(batch_of({one, thirty}, {one, thirty}).target_out.numel(), 2 + 31);
}

// Rows that only round the batch up change neither loss nor gradients, with dropout on and in both attention paths.
TEST(Transformer, FillerRowsChangeNothing) {
  for (const AttnPath path : {AttnPath::automatic, AttnPath::generic}) {
    Transformer::Spec spec = dropping_spec();
    spec.attention.path = path;
    spec.attention.attention_dropout = 0.3;
    Transformer model(spec, at::kCPU);
    const auto loss_and_gradients = [&](std::int64_t round_rows) {
      const BatchTensors batch =
          batch_of({sentence(5, 1), sentence(9, 2)}, {sentence(7, 3), sentence(3, 4)}, round_rows);
      EXPECT_EQ(batch.source.tokens.size(0) % round_rows, 0);
      EXPECT_EQ(batch.target_out.size(0) % round_rows, 0);
      model.parameters().zero_gradients();
      const TokenLoss loss = model.loss(batch, 0.1, training_context(1));
      loss.smoothed.backward();
      return std::pair(loss.smoothed.item<double>(), model.parameters().flat_gradients().clone());
    };
    const auto [plain_loss, plain] = loss_and_gradients(1);
    const auto [rounded_loss, rounded] = loss_and_gradients(16);
    EXPECT_NEAR(plain_loss, rounded_loss, 1e-4);
    EXPECT_LT(largest_difference(plain, rounded), 1e-4);
  }
}

// The padding symbol gets no share of the smoothing: its logit has no part in what smoothing adds.
TEST(Transformer, SmoothingLeavesThePaddingSymbolOut) {
  Transformer::Spec spec = small_spec();
  const Transformer model(spec, at::kCPU);
  const at::NoGradGuard no_grad;
  const BatchTensors batch = batch_of({sentence(4, 1)}, {sentence(3, 2)});
  const at::Tensor all =
      model.log_probs(model.decode(model.encode(batch.source, {}), batch.source.layout, batch.target, {}));
  const at::Tensor nll = -all.gather(1, batch.target_out.unsqueeze(1)).sum();
  const at::Tensor even = -all.narrow(1, 1, 11).sum() / 11;
  EXPECT_NEAR(model.loss(batch, 0.3, {}).smoothed.item<double>(), (nll * 0.7 + even * 0.3).item<double>(), 1e-4);
}

TEST(Transformer, AnEmptySourceHarmsNoGradient) {
  for (const char* kind : {"scaled_dot", "per_head"}) {
    Transformer model(small_spec(kind), at::kCPU);
    model.loss(batch_of({sentence(4, 1), {}, sentence(2, 2)}, {sentence(3, 3), sentence(5, 4), {}}), 0.1, {})
        .smoothed.backward();
    EXPECT_TRUE(at::isfinite(model.parameters().flat_gradients()).all().item<bool>()) << kind;
    EXPECT_GT(model.parameters().flat_gradients().abs().max().item<float>(), 0) << kind;
  }
}

TEST(Transformer, DropoutIsOnInTrainingOnlyAndHasNoState) {
  const Transformer model(dropping_spec(), at::kCPU), plain(small_spec(), at::kCPU);
  const at::NoGradGuard no_grad;
  const BatchTensors batch = batch_of({sentence(6, 1)}, {sentence(6, 2)});
  const auto loss = [&](const Transformer& m, const ForwardContext& context) {
    return m.loss(batch, 0, context).nll.item<double>();
  };
  const double first = loss(model, training_context(1));
  EXPECT_EQ(loss(model, {}), loss(plain, {}));
  EXPECT_EQ(loss(model, {}), loss(model, {}));
  EXPECT_NE(first, loss(model, {}));
  EXPECT_NE(first, loss(model, training_context(2)));
  EXPECT_EQ(first, loss(model, training_context(1)));  // what came between has not moved anything
}

// Every place drops with a mask of its own.
TEST(Transformer, EachKindOfDropoutActs) {
  const BatchTensors batch = batch_of({sentence(9, 1)}, {sentence(9, 2)});
  const at::NoGradGuard no_grad;
  const auto loss = [&](const Transformer::Spec& spec) {
    return Transformer(spec, at::kCPU).loss(batch, 0, training_context()).nll.item<double>();
  };
  const double none = loss(small_spec());
  Transformer::Spec inner = small_spec(), attention = small_spec(), rows = small_spec(), cross = small_spec();
  inner.model.activation_dropout = 0.3;
  attention.attention.attention_dropout = 0.3;
  rows = attention;
  rows.attention.attention_dropout_kind = AttnDropoutKind::row;
  cross.attention.cross.patch = json{{"attention_dropout", 0.3}};
  const std::set<double> losses = {none, loss(dropping_spec()), loss(inner), loss(attention), loss(rows), loss(cross)};
  EXPECT_EQ(losses.size(), 6U);
}

TEST(Transformer, SequencesEndWhereThePositionsEnd) {
  for (const Positions positions : {Positions::sinusoidal, Positions::learned}) {
    Transformer::Spec spec = small_spec();
    spec.model.positions = positions;
    spec.model.max_positions = 8;
    const Transformer model(spec, at::kCPU);
    const at::NoGradGuard no_grad;
    const auto score = [&](std::size_t source, std::size_t target) {
      return model.token_log_probs(batch_of({sentence(source, 1)}, {sentence(target, 2)}), {}).numel();
    };
    EXPECT_EQ(score(8, 7), 8);  // BOS or EOS is the eighth
    EXPECT_THROW(score(9, 7), std::length_error);
    EXPECT_THROW(score(8, 8), std::length_error);

    DecoderState state = model.start_decoding(ids_of({sentence(6, 1)}), 12, {});  // more rows than positions: no matter
    const at::Tensor tokens = at::full({12}, kBos, at::kLong);
    for (int i = 0; i < 8; ++i) EXPECT_TRUE(at::isfinite(model.step(state, tokens, {})).all().item<bool>());
    EXPECT_THROW(model.step(state, tokens, {}), std::length_error);
  }
}

TEST(Transformer, RowsOfLogProbabilitiesSumToOne) {
  const Transformer model(small_spec(), at::kCPU);
  const at::NoGradGuard no_grad;
  DecoderState state = model.start_decoding(ids_of({sentence(5, 1), {kEos}}), 2, {});
  const at::Tensor log_probs = model.step(state, at::full({4}, kBos, at::kLong), {});
  EXPECT_EQ(log_probs.sizes(), at::IntArrayRef({4, 12}));
  EXPECT_LT(largest_difference(log_probs.exp().sum(1), at::ones({4})), 1e-5);
}

TEST(SinusoidalPositions, FollowTheFormula) {
  const at::Tensor table = sinusoidal_positions(50, 7);
  EXPECT_EQ(table.sizes(), at::IntArrayRef({50, 7}));
  EXPECT_FLOAT_EQ(table[0][0].item<float>(), 0);
  EXPECT_FLOAT_EQ(table[0][1].item<float>(), 1);
  EXPECT_FLOAT_EQ(table[3][0].item<float>(), static_cast<float>(std::sin(3.0)));
  EXPECT_FLOAT_EQ(table[3][3].item<float>(), static_cast<float>(std::cos(3.0 * std::pow(10000.0, -2.0 / 7))));
  EXPECT_FLOAT_EQ(table[49][6].item<float>(), static_cast<float>(std::sin(49.0 * std::pow(10000.0, -6.0 / 7))));
}

TEST(PackedIds, CountPositionsFromEverySequencesStart) {
  const PackedIds ids = ids_of({{7, 8, 9}, {}, {5}});
  EXPECT_TRUE(same_bytes(ids.tokens, at::tensor({7, 8, 9, 5}, at::kLong)));
  EXPECT_TRUE(same_bytes(ids.positions, at::tensor({0, 1, 2, 0}, at::kLong)));
  EXPECT_EQ(ids.layout.offsets(), (std::vector<std::int64_t>{0, 3, 3, 4}));
}

}  // namespace
}  // namespace mha
