#include "train/batch_runner.h"

#include <ATen/Parallel.h>
#include <ATen/ops/equal.h>
#include <gtest/gtest.h>

#include <cmath>

#include "unit/train/train_testing.h"

namespace mha {
namespace {

using testing::largest_difference;
using testing::sentence;
using testing::toy_config;

/// 120 pairs of uneven lengths, about 1,900 target tokens: enough for three parts.
CorpusPtr corpus() {
  testing::Pairs pairs;
  for (std::uint64_t i = 0; i < 120; ++i) pairs.emplace_back(sentence(1 + i % 23, i), sentence(30 - i % 30, 500 + i));
  return corpus_of_pairs(pairs);
}

std::vector<std::int64_t> all_pairs(const EncodedCorpus& corpus) {
  std::vector<std::int64_t> pairs;
  for (std::int64_t i = 0; i < corpus.size(); ++i) pairs.push_back(corpus.size() - 1 - i);
  return pairs;
}

struct Outcome {
  UpdateSums sums;
  at::Tensor gradients;
};

Outcome run(const RunConfig& config, const BatchRunner::Options& options) {
  const CorpusPtr pairs = corpus();
  Transformer model(testing::spec_of(config), at::kCPU);
  BatchRunner runner(model, *pairs, options);
  const int threads = at::get_num_threads();
  runner.zero_gradients();
  Outcome outcome{.sums = runner.run(all_pairs(*pairs), 77), .gradients = {}};
  runner.reduce_gradients();
  EXPECT_EQ(at::get_num_threads(), threads);
  outcome.gradients = model.parameters().flat_gradients().clone();
  return outcome;
}

class BatchRunnerTest : public ::testing::TestWithParam<const char*> {
 protected:
  static RunConfig config() {
    RunConfig config = toy_config();
    config.model.dropout = config.model.activation_dropout = config.attention.attention_dropout = 0.3;
    if (GetParam() == std::string("rows")) config.attention.attention_dropout_kind = AttnDropoutKind::row;
    if (GetParam() == std::string("generic")) config.attention.path = AttnPath::generic;
    if (GetParam() == std::string("per_head")) config.attention.kind = "per_head";
    if (GetParam() == std::string("post")) config.model.norm = NormPlace::post;
    if (GetParam() == std::string("embedding_norm")) config.model.embedding_norm = true;
    if (GetParam() == std::string("gelu")) config.model.activation = Activation::gelu;
    return config;
  }
};

// With dropout everywhere: the parts have the masks of the whole.
TEST_P(BatchRunnerTest, PartsAddUpToTheWhole) {
  const Outcome whole = run(config(), {.label_smoothing = 0.1});
  EXPECT_EQ(whole.sums.sentences, 120);
  EXPECT_GT(whole.sums.loss, 0);
  for (const int threads : {2, 3}) {
    const Outcome parts = run(config(), {.label_smoothing = 0.1, .threads = threads});
    EXPECT_NEAR(parts.sums.loss, whole.sums.loss, 1e-5 * whole.sums.loss);
    EXPECT_NEAR(parts.sums.nll, whole.sums.nll, 1e-5 * whole.sums.nll);
    EXPECT_EQ(parts.sums.target_tokens, whole.sums.target_tokens);
    EXPECT_EQ(parts.sums.source_tokens, whole.sums.source_tokens);
    EXPECT_EQ(parts.sums.sentences, whole.sums.sentences);
    EXPECT_EQ(parts.sums.positions, whole.sums.positions);
    EXPECT_LT(largest_difference(parts.gradients, whole.gradients), 1e-5 * whole.gradients.abs().max().item<double>());
  }
}

TEST_P(BatchRunnerTest, TheSamePartsGiveTheSameBits) {
  const Outcome once = run(config(), {.threads = 2}), again = run(config(), {.threads = 2});
  EXPECT_EQ(once.sums.loss, again.sums.loss);
  EXPECT_TRUE(at::equal(once.gradients, again.gradients));
}

TEST_P(BatchRunnerTest, RecomputedActivationsChangeNothing) {
  const Outcome kept = run(config(), {.threads = 2}), recomputed = run(config(), {.recompute = true, .threads = 2});
  EXPECT_EQ(kept.sums.loss, recomputed.sums.loss);
  EXPECT_LT(largest_difference(kept.gradients, recomputed.gradients), 1e-6 * kept.gradients.abs().max().item<double>());
}

INSTANTIATE_TEST_SUITE_P(Models, BatchRunnerTest,
                         ::testing::Values("packed", "rows", "generic", "per_head", "post", "embedding_norm", "gelu"),
                         [](const auto& model) { return std::string(model.param); });

TEST(BatchRunner, GradientsOfSeveralBatchesAddUp) {
  const CorpusPtr pairs = corpus();
  const std::vector<std::int64_t> all = all_pairs(*pairs);
  RunConfig config = toy_config();
  config.model.dropout = config.model.activation_dropout = config.attention.attention_dropout = 0;
  Transformer model(testing::spec_of(config), at::kCPU);
  const auto gradients = [&](const std::vector<std::vector<std::int64_t>>& batches, int threads) {
    BatchRunner runner(model, *pairs, {.threads = threads});
    runner.zero_gradients();
    for (const auto& batch : batches) runner.run(batch, 1);
    runner.reduce_gradients();
    return model.parameters().flat_gradients().clone();
  };
  const at::Tensor whole = gradients({all}, 1);
  // The second batch is too small to be divided: the parts' gradients of the first must still be there.
  const at::Tensor two = gradients({{all.begin(), all.end() - 5}, {all.end() - 5, all.end()}}, 3);
  EXPECT_LT(largest_difference(whole, two), 1e-5 * whole.abs().max().item<double>());
}

TEST(BatchRunner, PartsSeeTheNewestWeights) {
  const CorpusPtr pairs = corpus();
  RunConfig config = toy_config();
  Transformer model(testing::spec_of(config), at::kCPU);
  BatchRunner runner(model, *pairs, {.threads = 2});
  const double before = runner.run(all_pairs(*pairs), 1).loss;
  model.parameters().flat_values().mul_(0.5);
  const double after = runner.run(all_pairs(*pairs), 1).loss;
  Transformer fresh(testing::spec_of(config), at::kCPU);
  fresh.parameters().flat_values().mul_(0.5);
  BatchRunner other(fresh, *pairs, {.threads = 2});
  EXPECT_NE(before, after);
  EXPECT_EQ(other.run(all_pairs(*pairs), 1).loss, after);
}

// What a part throws arrives only after the others are done with what they share.
TEST(BatchRunner, AFailureInAPartIsHandedOn) {
  RunConfig config = toy_config();
  config.model.max_positions = 25;  // some targets are longer
  const CorpusPtr pairs = corpus();
  Transformer model(testing::spec_of(config), at::kCPU);
  BatchRunner runner(model, *pairs, {.threads = 2});
  EXPECT_THROW(runner.run(all_pairs(*pairs), 1), std::length_error);
  EXPECT_EQ(runner.run(std::vector<std::int64_t>{29, 28}, 1).sentences, 2);
}

}  // namespace
}  // namespace mha
