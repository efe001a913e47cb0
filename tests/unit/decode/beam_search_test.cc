#include "decode/beam_search.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/stop.h"
#include "reference_search.h"
#include "toy_model.h"

namespace mha {
namespace {

const Tokens kSource = {10, 11, 12, SpecialIds::eos};

std::vector<Hypothesis> search_one(ToyModel& model, const SearchOptions& options, const Tokens& source = kSource) {
  return beam_search(model, pack({source}), options).front();
}

TEST(BeamSearch, BeamOneIsGreedyForAnyPenalty) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const NextLogProbs next = random_log_probs({.vocab_size = 90, .seed = seed, .eos_bias = 1.0});
    const Hypothesis greedy = greedy_search(next, kSource, 12);
    for (const LengthPenalty type : {LengthPenalty::avg, LengthPenalty::wu}) {
      for (const double lenpen : {0.0, 0.6, 1.0, 3.0}) {
        ToyModel model(90, 12, next);
        const auto found = search_one(model, {.beam = 1, .lenpen = lenpen, .lenpen_type = type});
        ASSERT_EQ(found.size(), 1U);
        ASSERT_EQ(found[0].tokens, greedy.tokens);
        ASSERT_DOUBLE_EQ(found[0].log_prob, greedy.log_prob);
      }
    }
  }
}

TEST(BeamSearch, LongerHypothesisWinsAfterNormalisation) {
  // The numbers of tests/cases/numeric/numbers.json: log-probability -1.0 in two tokens, -1.2 in six.
  const Tokens short_one = {4, SpecialIds::eos}, long_one = {5, 6, 6, 6, 6, SpecialIds::eos};
  ToyModel model(7, 8, [](const Tokens&, const Tokens& prefix) {
    std::vector<float> next(7, -50.0F);
    if (prefix.empty())
      next[4] = next[5] = -0.75F;
    else if (prefix[0] == 4)
      next[SpecialIds::eos] = -0.25F;
    else
      next[prefix.size() < 5 ? 6 : SpecialIds::eos] = -0.09F;
    return next;
  });
  const auto wu = search_one(model, {.beam = 2, .lenpen_type = LengthPenalty::wu, .nbest = 2});
  ASSERT_EQ(wu.size(), 2U);
  EXPECT_EQ(wu[0].tokens, long_one);
  EXPECT_NEAR(wu[0].log_prob, -1.2, 1e-6);
  EXPECT_NEAR(wu[0].score, -0.6545454545454545, 1e-6);
  EXPECT_EQ(wu[1].tokens, short_one);
  EXPECT_NEAR(wu[1].score, -0.8571428571428571, 1e-12);
  EXPECT_EQ(search_one(model, {.beam = 2, .lenpen_type = LengthPenalty::wu})[0].tokens, long_one);
  EXPECT_EQ(search_one(model, {.beam = 2, .lenpen = 1})[0].tokens, long_one);
  EXPECT_EQ(search_one(model, {.beam = 2, .lenpen = 0})[0].tokens, short_one);
}

TEST(BeamSearch, WideBeamEqualsExhaustiveSearch) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const NextLogProbs next = random_log_probs({.seed = seed, .eos_bias = seed % 3 == 0 ? 2.0 : 0.0});
    for (const LengthPenalty type : {LengthPenalty::avg, LengthPenalty::wu}) {
      for (const double lenpen : {0.0, 1.0, 1.7}) {
        const SearchOptions options{.beam = 150, .lenpen = lenpen, .lenpen_type = type, .nbest = 5};
        ToyModel model(7, 4, next);
        const auto found = search_one(model, options);
        const auto all = exhaustive_search(next, kSource, 4, options);
        ASSERT_EQ(all.size(), 1U + 3U + 9U + 27U);
        ASSERT_EQ(found.size(), 5U);
        for (std::size_t i = 0; i < found.size(); ++i) {
          ASSERT_EQ(found[i].tokens, all[i].tokens) << "seed " << seed << ", place " << i;
          ASSERT_NEAR(found[i].score, all[i].score, 1e-12);
        }
      }
    }
  }
}

TEST(BeamSearch, EqualsPlainReference) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const std::int64_t vocab = 5 + static_cast<std::int64_t>(seed % 4) * 30;
    const NextLogProbs next = random_log_probs({.vocab_size = vocab,
                                                .seed = seed,
                                                .eos_bias = static_cast<double>(seed % 5) - 1,
                                                .no_unknown = seed % 2 == 0});
    const SearchOptions options{.beam = 1 + static_cast<std::int64_t>(seed % 8),
                                .lenpen = 0.4 * static_cast<double>(seed % 6),
                                .lenpen_type = seed % 2 == 0 ? LengthPenalty::avg : LengthPenalty::wu,
                                .nbest = 8};
    ToyModel model(vocab, 9, next);
    const auto found = search_one(model, options);
    const auto expected = reference_search(next, kSource, 9, options);
    ASSERT_EQ(found.size(), expected.size()) << "seed " << seed;
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i].tokens, expected[i].tokens) << "seed " << seed;
  }
}

TEST(BeamSearch, StoppingEarlyChangesNothing) {
  std::int64_t saved_steps = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const NextLogProbs next = random_log_probs({.vocab_size = 40, .seed = seed, .eos_bias = 3, .spread = 6});
    SearchOptions options{.beam = 6,
                          .lenpen = 0.5 * static_cast<double>(seed % 5),
                          .lenpen_type = seed % 2 == 0 ? LengthPenalty::avg : LengthPenalty::wu,
                          .nbest = 6};
    ToyModel model(40, 10, next);
    const auto all = search_one(model, options);  // asks for as many as there are slots: never stops early
    const std::int64_t all_steps = model.steps();
    for (options.nbest = 1; options.nbest < 6; ++options.nbest) {
      const auto some = search_one(model, options);
      saved_steps += all_steps - model.steps();
      ASSERT_EQ(some.size(), static_cast<std::size_t>(options.nbest));
      for (std::size_t i = 0; i < some.size(); ++i) {
        ASSERT_EQ(some[i].tokens, all[i].tokens) << "seed " << seed << ", nbest " << options.nbest;
        ASSERT_EQ(some[i].score, all[i].score);
      }
    }
  }
  EXPECT_GT(saved_steps, 500);
}

TEST(BeamSearch, HypothesesAreConsistent) {
  ToyModel model(40, 20, random_log_probs({.vocab_size = 40, .seed = 3, .no_unknown = false}));
  const auto sources = random_sources(20, 8);
  const SearchOptions options{.beam = 5, .lenpen = 0.7, .max_len_a = 0.5, .max_len_b = 3, .nbest = 5};
  const auto results = beam_search(model, pack(sources), options);
  for (std::size_t s = 0; s < results.size(); ++s) {
    const std::int64_t limit = output_limit(static_cast<std::int64_t>(sources[s].size()), 20, options);
    for (std::size_t i = 0; i < results[s].size(); ++i) {
      const Hypothesis& h = results[s][i];
      const auto length = static_cast<std::int64_t>(h.tokens.size());
      EXPECT_LE(length, limit);
      EXPECT_EQ(h.tokens.back(), SpecialIds::eos);
      EXPECT_EQ(std::count(h.tokens.begin(), h.tokens.end(), SpecialIds::eos), 1);
      EXPECT_EQ(std::count(h.tokens.begin(), h.tokens.end(), SpecialIds::pad), 0);
      EXPECT_EQ(std::count(h.tokens.begin(), h.tokens.end(), SpecialIds::bos), 0);
      ASSERT_EQ(h.token_log_probs.size(), h.tokens.size());
      double sum = 0;
      for (const float x : h.token_log_probs) sum += static_cast<double>(x);
      EXPECT_DOUBLE_EQ(h.log_prob, sum);
      EXPECT_DOUBLE_EQ(h.score, length_normalised(sum, length, options));
      if (i > 0) {
        EXPECT_GE(results[s][i - 1].score, h.score);
      }
    }
  }
}

TEST(BeamSearch, WithoutSourcesTheModelIsNotAsked) {
  ToyModel model(7, 4, random_log_probs({}));
  EXPECT_TRUE(beam_search(model, PackedTokens{}, {}).empty());
  EXPECT_EQ(model.starts(), 0);
}

TEST(BeamSearch, RefusesOptionsThatMakeNoSense) {
  ToyModel model(7, 4, random_log_probs({}));
  for (const SearchOptions& options :
       {SearchOptions{.beam = 0}, SearchOptions{.lenpen = -1}, SearchOptions{.nbest = 0}}) {
    EXPECT_THROW(beam_search(model, pack({kSource}), options), std::invalid_argument);
  }
}

TEST(BeamSearch, StopSignalInterrupts) {
  std::int64_t calls = 0;
  const NextLogProbs next = random_log_probs({.eos_bias = -1e9});
  ToyModel model(7, 50, [&](const Tokens& source, const Tokens& prefix) {
    if (++calls == 3) request_stop(15);
    return next(source, prefix);
  });
  EXPECT_THROW(search_one(model, {.beam = 1, .max_len_b = 50}), Interrupted);
  request_stop(0);
  EXPECT_EQ(calls, 3);
}

}  // namespace
}  // namespace mha
