// Decoding token by token gives the log-probabilities that decoding the whole prefix gives, whatever the attention.

#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "model/attention/kind_list.h"
#include "unit/model/model_testing.h"

namespace mha {
namespace {

using testing::ids_of;
using testing::kBos;
using testing::largest_difference;
using testing::sentence;
using testing::Sentences;
using testing::small_spec;

using Param = std::tuple<std::string, NormPlace>;

class Incremental : public ::testing::TestWithParam<Param> {
 protected:
  Transformer model() const {
    Transformer::Spec spec = small_spec(std::get<0>(GetParam()));
    spec.model.norm = std::get<1>(GetParam());
    spec.model.embedding_norm = true;
    spec.attention.d_v = 4;
    return Transformer(spec, at::kCPU);
  }

  /// Log-probabilities after the last token of each prefix; prefix i belongs to source i / beam.
  static at::Tensor full(const Transformer& model, const Sentences& sources, const Sentences& prefixes,
                         std::size_t beam) {
    std::vector<at::Tensor> rows;
    for (std::size_t i = 0; i < prefixes.size(); ++i) {
      const PackedIds source = ids_of({sources[i / beam]}), target = ids_of({prefixes[i]});
      const at::Tensor hidden = model.decode(model.encode(source, {}), source.layout, target, {});
      rows.push_back(model.log_probs(hidden.narrow(0, hidden.size(0) - 1, 1)));
    }
    return at::cat(rows);
  }

  /// Feeds one random token to every row and compares.
  static void feed(const Transformer& model, DecoderState& state, const Sentences& sources, Sentences& prefixes,
                   std::uint64_t key) {
    const auto beam = static_cast<std::size_t>(state.beam);
    const std::vector<std::int32_t> next =
        key == 0 ? std::vector<std::int32_t>(prefixes.size(), kBos) : sentence(prefixes.size(), key);
    std::vector<std::int64_t> tokens(next.begin(), next.end());
    for (std::size_t i = 0; i < prefixes.size(); ++i) prefixes[i].push_back(next[i]);
    const at::Tensor stepped = model.step(state, at::tensor(tokens, at::kLong), {});
    ASSERT_LT(largest_difference(stepped, full(model, sources, prefixes, beam)), 1e-5)
        << "token " << key << ", beam " << beam;
  }
};

TEST_P(Incremental, EqualsFullDecoding) {
  const at::NoGradGuard no_grad;
  const Transformer transformer = model();
  const Sentences sources = {sentence(3, 1), sentence(9, 2), sentence(1, 3)};
  for (const std::int64_t beam : {1, 3}) {
    DecoderState state = transformer.start_decoding(ids_of(sources), beam, {});
    Sentences prefixes(sources.size() * static_cast<std::size_t>(beam));
    for (std::uint64_t token = 0; token < 20; ++token)
      feed(transformer, state, sources, prefixes, token);  // the cache grows at 16
  }
}

TEST_P(Incremental, FollowsMovedRowsAndFinishedSentences) {
  const at::NoGradGuard no_grad;
  const Transformer transformer = model();
  const std::size_t beam = 3;
  Sentences sources = {sentence(3, 1), sentence(9, 2), sentence(5, 3)};
  DecoderState state = transformer.start_decoding(ids_of(sources), beam, {});
  Sentences prefixes(sources.size() * beam);
  for (std::uint64_t token = 0; token < 3; ++token) feed(transformer, state, sources, prefixes, token);

  const std::vector<std::int64_t> parents = {2, 2, 0, 3, 5, 4, 7, 7, 7};
  reorder_rows(state, at::tensor(parents, at::kLong));
  Sentences moved;
  for (const std::int64_t parent : parents) moved.push_back(prefixes[static_cast<std::size_t>(parent)]);
  for (std::uint64_t token = 3; token < 5; ++token) feed(transformer, state, sources, moved, token);

  keep_sentences(state, at::tensor({std::int64_t{2}, std::int64_t{0}}));
  Sentences kept(moved.begin() + 6, moved.end());
  kept.insert(kept.end(), moved.begin(), moved.begin() + 3);
  sources = {sources[2], sources[0]};
  for (std::uint64_t token = 5; token < 8; ++token) feed(transformer, state, sources, kept, token);
}

TEST_P(Incremental, RowsCanMoveBeforeTheFirstToken) {
  const at::NoGradGuard no_grad;
  const Transformer transformer = model();
  const Sentences sources = {sentence(3, 1), sentence(9, 2)};
  DecoderState state = transformer.start_decoding(ids_of(sources), 1, {});
  keep_sentences(state, at::tensor({std::int64_t{1}}));
  Sentences prefixes(1);
  feed(transformer, state, {sources[1]}, prefixes, 0);
}

std::string name_of_case(const ::testing::TestParamInfo<Param>& test) {
  return std::get<0>(test.param) + "_" + to_string(std::get<1>(test.param));
}

INSTANTIATE_TEST_SUITE_P(Kinds, Incremental,
                         ::testing::Combine(::testing::ValuesIn(attention_kind_names()),
                                            ::testing::Values(NormPlace::pre, NormPlace::post)),
                         name_of_case);

}  // namespace
}  // namespace mha
