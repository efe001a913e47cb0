// A sentence's result depends neither on its neighbours in the batch nor on the order of the lines.

#include <gtest/gtest.h>

#include <numeric>

#include "decode/beam_search.h"
#include "toy_model.h"

namespace mha {
namespace {

using Results = std::vector<std::vector<Hypothesis>>;

NextLogProbs model_function() {
  return random_log_probs({.vocab_size = 24, .seed = 77, .eos_bias = 1.5, .spread = 5, .no_unknown = false});
}

/// Searches `sources` in the given order, `batch_size` at a time; results in the order of `sources`.
Results search_in_batches(const std::vector<Tokens>& sources, const std::vector<std::size_t>& order,
                          std::size_t batch_size, const SearchOptions& options) {
  ToyModel model(24, 18, model_function());
  Results results(sources.size());
  for (std::size_t begin = 0; begin < order.size(); begin += batch_size) {
    const std::size_t end = std::min(begin + batch_size, order.size());
    std::vector<Tokens> batch;
    for (std::size_t i = begin; i < end; ++i) batch.push_back(sources[order[i]]);
    Results found = beam_search(model, pack(batch), options);
    for (std::size_t i = begin; i < end; ++i) results[order[i]] = std::move(found[i - begin]);
  }
  return results;
}

void expect_identical(const Results& a, const Results& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t s = 0; s < a.size(); ++s) {
    ASSERT_EQ(a[s].size(), b[s].size()) << "sentence " << s;
    for (std::size_t i = 0; i < a[s].size(); ++i) {
      EXPECT_EQ(a[s][i].tokens, b[s][i].tokens) << "sentence " << s << ", place " << i;
      EXPECT_EQ(a[s][i].log_prob, b[s][i].log_prob);
      EXPECT_EQ(a[s][i].score, b[s][i].score);
    }
  }
}

class BatchIndependence : public testing::TestWithParam<std::int64_t> {};

TEST_P(BatchIndependence, SameResultInEveryBatchAndOrder) {
  const auto sources = random_sources(65, 4);
  std::vector<std::size_t> in_order(sources.size());
  std::iota(in_order.begin(), in_order.end(), std::size_t{0});
  for (const double lenpen : {0.0, 1.0, 2.0}) {
    for (const LengthPenalty type : {LengthPenalty::avg, LengthPenalty::wu}) {
      SearchOptions options{.beam = GetParam(), .lenpen = lenpen, .lenpen_type = type, .nbest = (GetParam() + 1) / 2};
      const Results alone = search_in_batches(sources, in_order, 1, options);
      for (const std::size_t batch_size : {2, 7, 64}) {
        expect_identical(alone, search_in_batches(sources, in_order, batch_size, options));
        std::vector<std::size_t> shuffled = in_order;
        RandomStream random(batch_size);
        shuffle(shuffled, random);
        expect_identical(alone, search_in_batches(sources, shuffled, batch_size, options));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Beams, BatchIndependence, testing::Range<std::int64_t>(1, 9));

TEST(Batches, FinishedSentencesLeave) {
  const auto sources = random_sources(12, 9);
  const SearchOptions options{.beam = 3};
  std::int64_t rows_alone = 0;
  for (const Tokens& source : sources) {
    ToyModel model(24, 18, model_function());
    beam_search(model, pack({source}), options);
    rows_alone += model.evaluated_rows();
  }
  ToyModel model(24, 18, model_function());
  beam_search(model, pack(sources), options);
  EXPECT_EQ(model.evaluated_rows(), rows_alone);
}

}  // namespace
}  // namespace mha
