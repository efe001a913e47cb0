#include "eval/scoring.h"

#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include "data/batch.h"
#include "unit/model/model_testing.h"

namespace mha {
namespace {

using testing::sentence;

// Targets of 1 and of 20 symbols: a mean over batches would change with the way in which they are cut.
TEST(CorpusLoss, DoesNotDependOnTheBatches) {
  std::vector<std::pair<std::vector<TokenId>, std::vector<TokenId>>> pairs;
  for (std::uint64_t i = 0; i < 8; ++i) pairs.emplace_back(sentence(20, i), sentence(i < 4 ? 1 : 20, 50 + i));
  const Transformer model(testing::small_spec(), at::kCPU);
  const at::NoGradGuard no_grad;
  double nll = 0;
  for (const auto& [source, target] : pairs) {
    std::vector<TokenId> with_eos = source;
    with_eos.push_back(testing::kEos);
    nll -= model.token_log_probs(testing::batch_of({with_eos}, {target}), {}).sum().item<double>();
  }
  const std::int64_t tokens = 4 * 2 + 4 * 21;  // EOS counted
  const CorpusPtr corpus = corpus_of_pairs(pairs);
  // Every source has 21 tokens: batches of one, of three, and of all.
  for (const auto& [max_tokens, batches] : {std::pair<std::int64_t, std::size_t>{1, 8}, {63, 3}, {100000, 1}}) {
    ASSERT_EQ(sorted_batches(*corpus, max_tokens).size(), batches);
    const CorpusLoss loss = corpus_loss(model, *corpus, max_tokens);
    EXPECT_EQ(loss.tokens, tokens);
    EXPECT_NEAR(loss.mean(), nll / static_cast<double>(tokens), 1e-6) << max_tokens;
  }
}

}  // namespace
}  // namespace mha
