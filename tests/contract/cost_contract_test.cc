// The bill of a configuration against the model that is built from it, and against LibTorch's own count of operations.

#include <ATen/core/grad_mode.h>
#include <ATen/record_function.h>
#include <gtest/gtest.h>
#include <torch/csrc/profiler/util.h>

#include <atomic>
#include <map>
#include <memory>
#include <ostream>

#include "cost/parameters.h"
#include "cost/products.h"
#include "model/attention/kind_list.h"
#include "unit/model/model_testing.h"

namespace mha {
namespace {

using testing::batch_of;
using testing::sentence;

struct Case {
  std::string name;
  RunConfig config;
  std::int64_t source_vocab = 30, target_vocab = 30;
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

RunConfig base() {
  RunConfig config;
  config.model = {.encoder_layers = 2, .decoder_layers = 3, .d_model = 16, .d_ff = 24, .max_positions = 40};
  config.attention.num_heads = 4;
  return config;
}

template <class F>
Case changed(const std::string& name, F&& change) {
  Case c{.name = name, .config = base()};
  change(c);
  return c;
}

std::vector<Case> cases() {
  std::vector<Case> all = {
      {"as_it_is", base()},
      changed("shared_embeddings", [](Case& c) { c.config.model.share_all_embeddings = true; }),
      changed("nothing_shared", [](Case& c) { c.config.model.share_decoder_input_output_embed = false; }),
      changed("two_vocabularies", [](Case& c) { c.source_vocab = 41; }),
      changed("no_bias", [](Case& c) { c.config.model.bias = false; }),
      changed("post_norm", [](Case& c) { c.config.model.norm = NormPlace::post; }),
      changed("rmsnorm", [](Case& c) { c.config.model.norm_kind = NormKind::rmsnorm; }),
      changed("embedding_norm", [](Case& c) { c.config.model.embedding_norm = true; }),
      changed("gelu", [](Case& c) { c.config.model.activation = Activation::gelu; }),
      changed("swiglu", [](Case& c) { c.config.model.activation = Activation::swiglu; }),
      changed("swiglu_without_bias",
              [](Case& c) {
                c.config.model.activation = Activation::swiglu;
                c.config.model.bias = false;
              }),
      changed("learned_positions", [](Case& c) { c.config.model.positions = Positions::learned; }),
      changed("wider_than_d_model", [](Case& c) { c.config.attention.d_k = ValueOrWord<std::int64_t>::of(7); }),
      changed("other_d_v", [](Case& c) { c.config.attention.d_v = 3; }),
      changed("rounded_up",
              [](Case& c) {
                c.config.attention.num_heads = 3;
                c.config.attention.d_k = ValueOrWord<std::int64_t>::of_word("ceil");
              }),
      changed("no_output_projection", [](Case& c) { c.config.attention.output_projection = false; }),
      changed("by_place_and_layer",
              [](Case& c) {
                c.config.attention.encoder_self.patch = {{"num_heads", 2}, {"layers", {{"2", {{"d_k", 5}}}}}};
                c.config.attention.cross.patch = {{"d_v", 6}, {"layers", {{"3", {{"num_heads", 8}}}}}};
              }),
  };
  for (const std::string& kind : attention_kind_names())
    all.push_back(changed("kind_" + kind, [&](Case& c) { c.config.attention.kind = kind; }));
  return all;
}

class CostContract : public ::testing::TestWithParam<Case> {
 protected:
  RunShape shape() const {
    RunShape shape;
    shape.source_vocab = GetParam().source_vocab;
    shape.target_vocab = GetParam().target_vocab;
    return shape;
  }
  Transformer model(const RunConfig& config) const {
    return Transformer({.model = config.model,
                        .attention = config.attention,
                        .source_vocab = GetParam().source_vocab,
                        .target_vocab = GetParam().target_vocab},
                       at::kCPU);
  }
};

bool is_usual(const std::string& name) {
  const std::string last = name.substr(name.rfind('.') + 1);
  return last.starts_with("w_") || last.starts_with("b_");
}

// Exact, part by part. What a kind adds of its own is not in the bill.
TEST_P(CostContract, ParametersAreThoseOfTheModel) {
  const Transformer built = model(GetParam().config);
  std::map<std::string, std::int64_t> parts = built.parameters_by_part();
  std::int64_t own = 0;
  for (const auto& [name, value] : built.parameters().all()) {
    const bool in_attention = name.find("_attn.") != std::string::npos;
    if (in_attention && !is_usual(name)) own += value.numel();
  }
  const ParameterCount count = count_parameters(GetParam().config, shape());
  EXPECT_EQ(total(count), built.parameters().count() - own);
  EXPECT_EQ(parameter_count(GetParam().config, shape()), total(count));
  EXPECT_EQ(count.embeddings, parts["embeddings"]);
  EXPECT_EQ(count.positions, parts["positions"]);
  EXPECT_EQ(count.output, parts["output"]);
  EXPECT_EQ(count.encoder_feed_forward, parts["encoder_feed_forward"]);
  EXPECT_EQ(count.decoder_feed_forward, parts["decoder_feed_forward"]);
  EXPECT_EQ(count.norms, parts["norms"]);
  EXPECT_EQ(total(count.encoder_self_attention) + total(count.decoder_self_attention) + total(count.cross_attention),
            parts["encoder_self_attention"] + parts["decoder_self_attention"] + parts["cross_attention"] - own);
}

TEST_P(CostContract, EachMatrixOfTheAttention) {
  const Transformer built = model(GetParam().config);
  std::map<std::string, std::int64_t> sizes;  // "encoder self w_q"
  for (const auto& [name, value] : built.parameters().all()) {
    if (name.find("_attn.") == std::string::npos || !is_usual(name)) continue;
    const std::string last = name.substr(name.rfind('.') + 1);
    const bool cross = name.find("cross_attn.") != std::string::npos;
    const std::string place = cross ? "cross" : name.starts_with("encoder.") ? "encoder" : "decoder";
    sizes[place + (last.starts_with("b_") ? " biases" : " " + last)] += value.numel();
  }
  const ParameterCount count = count_parameters(GetParam().config, shape());
  const auto expect = [&](const std::string& place, const AttentionParameters& part) {
    EXPECT_EQ(part.w_q, sizes[place + " w_q"]) << place;
    EXPECT_EQ(part.w_k, sizes[place + " w_k"]) << place;
    EXPECT_EQ(part.w_v, sizes[place + " w_v"]) << place;
    EXPECT_EQ(part.w_o, sizes[place + " w_o"]) << place;
    EXPECT_EQ(part.biases, sizes[place + " biases"]) << place;
  };
  expect("encoder", count.encoder_self_attention);
  expect("decoder", count.decoder_self_attention);
  expect("cross", count.cross_attention);
}

/// Operations of the matrix products that run while this lives, as LibTorch's profiler counts them (with_flops).
class FlopCounter {
 public:
  FlopCounter() {
    total() = 0;
    handle_ = at::addGlobalCallback(at::RecordFunctionCallback(&on_call).needsInputs(true));
  }
  ~FlopCounter() { at::removeCallback(handle_); }
  FlopCounter(const FlopCounter&) = delete;
  FlopCounter& operator=(const FlopCounter&) = delete;
  double flops() const { return static_cast<double>(total().load()); }

 private:
  static std::atomic<std::uint64_t>& total() {
    static std::atomic<std::uint64_t> total{0};
    return total;
  }
  static std::unique_ptr<at::ObserverContext> on_call(const at::RecordFunction& call) {
    const std::string name = call.name();
    if (name == "aten::mm" || name == "aten::addmm" || name == "aten::bmm")
      total() += torch::profiler::impl::computeFlops(name, torch::profiler::impl::saveExtraArgs(call));
    return nullptr;
  }
  at::CallbackHandle handle_;
};

constexpr std::size_t kSource = 7, kTarget = 11;  // tokens of each sentence; the target's with EOS
constexpr double kSentences = 3;

/// The generic path, in which every product is an operation of LibTorch's.
RunConfig generic(RunConfig config) {
  config.attention.path = AttnPath::generic;
  return config;
}

RunShape with_lengths(RunShape shape) {
  shape.source_length = kSource;
  shape.target_length = kTarget;
  return shape;
}

TEST_P(CostContract, TrainingIsWhatTheProfilerCounts) {
  const RunConfig config = generic(GetParam().config);
  const Transformer built = model(config);
  testing::Sentences sources, targets;
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(kSentences); ++i) {
    sources.push_back(sentence(kSource, i));
    targets.push_back(sentence(kTarget - 1, 10 + i));
  }
  const FlopCounter counter;
  built.loss(batch_of(sources, targets), 0.1, testing::training_context()).smoothed.backward();
  const double expected = train_flops_per_token(config, with_lengths(shape())) * kSentences * kTarget;
  EXPECT_NEAR(counter.flops() / expected, 1, 0.001);
}

TEST_P(CostContract, DecodingIsWhatTheProfilerCounts) {
  const RunConfig config = generic(GetParam().config);
  const Transformer built = model(config);
  const at::NoGradGuard no_grad;
  testing::Sentences sources;
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(kSentences); ++i) sources.push_back(sentence(kSource, i));
  const FlopCounter counter;
  DecoderState state = built.start_decoding(testing::ids_of(sources), 1, {});
  const at::Tensor tokens = at::full({static_cast<std::int64_t>(kSentences)}, testing::kBos, at::kLong);
  for (std::size_t i = 0; i < kTarget; ++i) built.step(state, tokens, {});
  const double expected = decode_flops_per_token(config, with_lengths(shape())) * kSentences * kTarget;
  EXPECT_NEAR(counter.flops() / expected, 1, 0.001);
}

INSTANTIATE_TEST_SUITE_P(Configurations, CostContract, ::testing::ValuesIn(cases()),
                         [](const ::testing::TestParamInfo<Case>& test) { return test.param.name; });

}  // namespace
}  // namespace mha
