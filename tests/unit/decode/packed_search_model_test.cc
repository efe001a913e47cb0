// The packed path against the generic one: the same tokens for every architecture; bit for bit the same in every batch.
#include "decode/packed_search_model.h"

#include <gtest/gtest.h>

#include <functional>

#include "decode/beam_search.h"
#include "decode/search_models.h"
#include "decode/transformer_search_model.h"
#include "unit/model/model_testing.h"

namespace mha {
namespace {

using testing::sentence;
using Results = std::vector<std::vector<Hypothesis>>;

struct Architecture {
  std::string name;
  std::function<void(Transformer::Spec&)> change;
};

/// Some of everything that the configuration of a standard attention can ask for.
const std::vector<Architecture> kArchitectures = {
    {"plain", [](Transformer::Spec&) {}},
    {"post_norm", [](auto& s) { s.model.norm = NormPlace::post; }},
    {"rmsnorm_swiglu_no_bias",
     [](auto& s) {
       s.model.norm_kind = NormKind::rmsnorm;
       s.model.activation = Activation::swiglu;
       s.model.bias = false;
     }},
    {"gelu_learned_positions_embedding_norm",
     [](auto& s) {
       s.model.activation = Activation::gelu;
       s.model.positions = Positions::learned;
       s.model.embedding_norm = true;
     }},
    {"all_embeddings_shared", [](auto& s) { s.model.share_all_embeddings = true; }},
    {"no_embeddings_shared", [](auto& s) { s.model.share_decoder_input_output_embed = false; }},
    {"odd_widths",
     [](auto& s) {
       s.model.d_model = 37;
       s.model.d_ff = 50;
       s.model.norm = NormPlace::post;
       s.attention.d_v = 19;
     }},
    {"whole_lanes",
     [](auto& s) {
       s.model.d_model = 64;
       s.attention.num_heads = 4;
       s.attention.d_k.reset();
     }},
    {"widths_by_place_and_layer",
     [](auto& s) {
       s.attention.scale = ValueOrWord<double>::of(0.3);
       s.attention.cross.patch = {{"num_heads", 2}, {"d_k", 7}, {"scale", "none"}};
       s.attention.decoder_self.patch = {{"layers", {{"2", {{"num_heads", 5}, {"d_v", 3}}}}}};
     }},
    {"no_output_projection",
     [](auto& s) {
       s.attention.num_heads = 2;
       s.attention.d_k = ValueOrWord<std::int64_t>::of(6);
       s.attention.d_v = 4;
       s.attention.output_projection = false;
     }},
    {"per_head", [](auto& s) { s.attention.kind = "per_head"; }},
};

std::unique_ptr<Transformer> build(const Architecture& architecture) {
  Transformer::Spec spec = testing::small_spec();
  spec.source_vocab = spec.target_vocab = 50;
  architecture.change(spec);
  auto model = std::make_unique<Transformer>(spec, at::kCPU);
  testing::shake_vectors(model->parameters());
  return model;
}

std::vector<std::vector<std::int32_t>> sources(std::size_t count) {
  std::vector<std::vector<std::int32_t>> sources;
  for (std::size_t i = 0; i < count; ++i) {
    sources.push_back(sentence(1 + i * 7 % 23, i, 50));
    sources.back().push_back(testing::kEos);
  }
  return sources;
}

Results search(SearchModel& model, const std::vector<std::vector<std::int32_t>>& sources, std::size_t batch_size,
               const SearchOptions& options) {
  Results results;
  for (std::size_t begin = 0; begin < sources.size(); begin += batch_size) {
    PackedTokens batch;
    for (std::size_t i = begin; i < std::min(begin + batch_size, sources.size()); ++i) batch.append(sources[i]);
    for (auto& found : beam_search(model, batch, options)) results.push_back(std::move(found));
  }
  return results;
}

class PackedSearch : public ::testing::TestWithParam<Architecture> {};

TEST_P(PackedSearch, FindsWhatTheGenericPathFinds) {
  const auto model = build(GetParam());
  ASSERT_TRUE(PackedTransformer::supports(*model));
  TransformerSearchModel generic(*model);
  PackedSearchModel packed(std::make_shared<const PackedTransformer>(*model, WeightFormat::fp32));
  for (const std::int64_t beam : {1, 4}) {
    const SearchOptions options{.beam = beam, .max_len_a = 1.5, .min_len = 3, .nbest = beam};
    const Results expected = search(generic, sources(30), 7, options), found = search(packed, sources(30), 30, options);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t s = 0; s < found.size(); ++s) {
      ASSERT_EQ(found[s].size(), expected[s].size());
      for (std::size_t i = 0; i < found[s].size(); ++i) {
        ASSERT_EQ(found[s][i].tokens, expected[s][i].tokens) << "sentence " << s << ", place " << i;
        ASSERT_NEAR(found[s][i].score, expected[s][i].score, 1e-5);
      }
    }
  }
}

TEST_P(PackedSearch, IsTheSameInEveryBatchBitForBit) {
  const auto model = build(GetParam());
  for (const WeightFormat format : {WeightFormat::fp32, WeightFormat::bf16, WeightFormat::int8}) {
    PackedSearchModel packed(std::make_shared<const PackedTransformer>(*model, format));
    const SearchOptions options{.beam = 3, .nbest = 2};
    const Results alone = search(packed, sources(40), 1, options);
    for (const std::size_t batch_size : {2, 7, 40}) {
      const Results together = search(packed, sources(40), batch_size, options);
      for (std::size_t s = 0; s < alone.size(); ++s) {
        ASSERT_EQ(together[s].size(), alone[s].size());
        for (std::size_t i = 0; i < alone[s].size(); ++i) {
          ASSERT_EQ(together[s][i].tokens, alone[s][i].tokens);
          ASSERT_EQ(together[s][i].log_prob, alone[s][i].log_prob);
          ASSERT_EQ(together[s][i].token_log_probs, alone[s][i].token_log_probs);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, PackedSearch, ::testing::ValuesIn(kArchitectures),
                         [](const auto& test) { return test.param.name; });

TEST(PackedPath, RoundedWeightsComeClose) {
  const auto model = build(kArchitectures.front());
  const auto score = [&](WeightFormat format) {
    PackedSearchModel packed(std::make_shared<const PackedTransformer>(*model, format));
    return search(packed, sources(30), 30, {.beam = 1});
  };
  const Results exact = score(WeightFormat::fp32);
  for (const WeightFormat format : {WeightFormat::bf16, WeightFormat::int8}) {
    const Results rounded = score(format);
    for (std::size_t s = 0; s < exact.size(); ++s) {
      EXPECT_NEAR(static_cast<double>(rounded[s][0].token_log_probs[0]),
                  static_cast<double>(exact[s][0].token_log_probs[0]), 0.1);
    }
  }
}

TEST(SearchModels, FollowTheConfiguration) {
  const auto model = build(kArchitectures.front());
  const SearchModels packed = make_search_models(*model, {.precision = DecodePrecision::int8}, 3);
  EXPECT_EQ(packed.path, "packed");
  EXPECT_EQ(packed.precision, "int8");
  EXPECT_EQ(packed.workers().size(), 3U);
  const SearchModels generic = make_search_models(*model, {.path = DecodePath::generic}, 3);
  EXPECT_EQ(generic.path, "generic");
  EXPECT_EQ(generic.precision, "fp32");
  EXPECT_EQ(generic.workers().size(), 1U);
}

TEST(SearchModels, AModelInDoubleTakesTheGenericPath) {
  const auto model = build(kArchitectures.front());
  model->parameters().flatten(at::kCPU, at::kDouble);
  EXPECT_FALSE(PackedTransformer::supports(*model));
  EXPECT_EQ(make_search_models(*model, {}, 2).path, "generic");
}

TEST(PackedPath, TooLongIsAnError) {
  const auto model = build(kArchitectures.front());
  PackedSearchModel packed(std::make_shared<const PackedTransformer>(*model, WeightFormat::fp32));
  PackedTokens batch;
  batch.append(sentence(101, 1, 50));
  EXPECT_THROW(packed.start(batch, 1), std::length_error);
}

}  // namespace
}  // namespace mha
