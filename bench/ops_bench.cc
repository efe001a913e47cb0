// Each operation beside its plain reference, forward and backward, at the shapes of a small model: 4,096 tokens,
// d_model 128, 4 heads, vocabulary 8,000. Operations with matrix products show GFLOP/s of these and their share of
// what the machine's own matrix product reaches; the others, elements of their result a second.
// bench/ops_bench --threads=2 --benchmark_filter=norm
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros_like.h>
#include <benchmark/benchmark.h>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bench_main.h"
#include "ops/adam.h"
#include "ops/cross_entropy.h"
#include "ops/dropout_mask.h"
#include "ops/embedding.h"
#include "ops/feed_forward.h"
#include "ops/linear.h"
#include "ops/masked_softmax.h"
#include "ops/norm.h"
#include "ops/packed_attention.h"
#include "ops/packing.h"
#include "ops/roofline.h"

namespace mha {
namespace {

constexpr std::int64_t kRows = 4096, kWidth = 128, kVocab = 8000;
constexpr DropoutKey kKey = 7;
const DropoutSpec kDropout{.p = 0.3, .key = kKey};

at::Tensor input(at::IntArrayRef shape, at::ScalarType type) { return at::randn(shape).to(type).requires_grad_(); }

double peak_rate(at::ScalarType type) {
  static std::map<at::ScalarType, double> measured;
  const auto [at, fresh] = measured.try_emplace(type);
  if (fresh) at->second = matrix_product_rate(type);
  return at->second;
}

/// Runs make() and, where its result wants gradients, the backward pass. `products`: multiply-adds of one forward pass,
/// of which a backward pass needs twice as many.
void add(const std::string& name, const std::function<at::Tensor()>& make, const std::vector<at::Tensor>& leaves = {},
         double products = 0) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    const at::Tensor once = make();
    const at::Tensor gradient = at::randn(once.sizes()).to(once.scalar_type());
    const double peak = products > 0 ? peak_rate(leaves.front().scalar_type()) : 0;
    for (auto _ : state) {
      const at::Tensor result = make();
      if (result.requires_grad()) result.backward(gradient);
      for (at::Tensor leaf : leaves) leaf.mutable_grad().reset();
    }
    using benchmark::Counter;
    if (products > 0) {
      state.counters["GFLOP/s"] = Counter(6e-9 * products, Counter::kIsIterationInvariantRate);
      state.counters["share_of_peak"] = Counter(6 * products / peak, Counter::kIsIterationInvariantRate);
    } else {
      state.SetItemsProcessed(state.iterations() * once.numel());
    }
  })->Unit(benchmark::kMillisecond);
}

/// An operation and its reference.
template <class Ours, class Reference>
void add_pair(const std::string& name, const std::string& suffix, const Ours& ours, const Reference& theirs,
              const std::vector<at::Tensor>& leaves, double products = 0) {
  add(name + "/ours/" + suffix, ours, leaves, products);
  add(name + "/reference/" + suffix, theirs, leaves, products);
}

void register_elementwise(at::ScalarType type, const std::string& suffix) {
  const at::Tensor x = input({kRows, kWidth}, type), branch = input({kRows, kWidth}, type);
  add_pair(
      "dropout", suffix, [=] { return dropout(x, kDropout); }, [=] { return reference::dropout(x, kDropout); }, {x});

  const at::Tensor scores = input({100, 4, 40, 40}, type), visible = at::full({100, 40}, 35, at::kInt);
  add_pair(
      "prefix_softmax", suffix, [=] { return prefix_softmax(scores, visible); },
      [=] { return reference::prefix_softmax(scores, visible); }, {scores});
  std::vector<std::int64_t> offsets;
  for (std::int64_t i = 0; i < 100; ++i) offsets.push_back(40 * i);
  const AttnDropout attention{.p = 0.1, .whole_rows = false, .key = kKey};
  add_pair(
      "attention_dropout", suffix, [=] { return attention_dropout(scores, attention, offsets); },
      [=] { return reference::attention_dropout(scores, attention, offsets); }, {scores});

  const NormWeights norm{.gamma = input({kWidth}, at::kFloat), .beta = input({kWidth}, at::kFloat)};
  add_pair(
      "add_dropout_norm", suffix, [=] { return add_dropout_norm(x, branch, norm, kDropout).normed; },
      [=] { return reference::add_dropout_norm(x, branch, norm, kDropout).normed; },
      {x, branch, norm.gamma, norm.beta});

  const at::Tensor table = input({kVocab, kWidth}, at::kFloat), ids = at::randint(kVocab, {kRows}, at::kLong);
  const at::Tensor positions = at::randn({512, kWidth}), places = at::arange(kRows, at::kLong).remainder(40);
  const EmbedOptions embedding{.scale = 11.3, .dropout = kDropout, .dtype = type};
  add_pair(
      "embed", suffix, [=] { return embed(ids, places, table, positions, embedding); },
      [=] { return reference::embed(ids, places, table, positions, embedding); }, {table});
}

void register_products(at::ScalarType type, const std::string& suffix) {
  constexpr std::int64_t inner = 256;
  const at::Tensor x = input({kRows, kWidth}, type);
  const at::Tensor w_1 = input({inner, kWidth}, at::kFloat), b_1 = input({inner}, at::kFloat),
                   w_2 = input({kWidth, inner}, at::kFloat), b_2 = input({kWidth}, at::kFloat),
                   w_3 = input({inner, kWidth}, at::kFloat), b_3 = input({inner}, at::kFloat);
  const double matrix = static_cast<double>(kRows * kWidth * inner);
  add_pair(
      "linear", suffix, [=] { return linear(x, w_1, b_1); }, [=] { return reference::linear(x, w_1, b_1); },
      {x, w_1, b_1}, matrix);

  const auto feed_forward_pair = [&](const std::string& name, Activation activation, const FeedForwardWeights& weights,
                                     const std::vector<at::Tensor>& leaves, double matrices) {
    add_pair(
        name, suffix, [=] { return feed_forward(x, weights, activation, kDropout); },
        [=] { return reference::feed_forward(x, weights, activation, kDropout); }, leaves, matrices * matrix);
  };
  const FeedForwardWeights two{.w_1 = w_1, .w_2 = w_2, .b_1 = b_1, .b_2 = b_2};
  feed_forward_pair("relu_feed_forward", Activation::relu, two, {x, w_1, w_2, b_1, b_2}, 2);
  feed_forward_pair("gelu_feed_forward", Activation::gelu, two, {x, w_1, w_2, b_1, b_2}, 2);
  feed_forward_pair("swiglu_feed_forward", Activation::swiglu,
                    {.w_1 = w_1, .w_2 = w_2, .w_3 = w_3, .b_1 = b_1, .b_2 = b_2, .b_3 = b_3},
                    {x, w_1, w_2, w_3, b_1, b_2, b_3}, 3);

  const at::Tensor q = input({kWidth, kWidth}, at::kFloat), k = input({kWidth, kWidth}, at::kFloat),
                   v = input({kWidth, kWidth}, at::kFloat);
  // One result for the benchmark; the gradients of all three come back through it.
  const auto sum = [](const std::vector<at::Tensor>& parts) { return parts[0] + parts[1] + parts[2]; };
  add_pair(
      "joint_linear", suffix,
      [=] {
        return sum(joint_linear(x, {q, k, v}, {}));
      },
      [=] {
        return sum(reference::joint_linear(x, {q, k, v}, {}));
      },
      {x, q, k, v}, static_cast<double>(3 * kRows * kWidth * kWidth));

  const at::Tensor table = input({kVocab, kWidth}, at::kFloat), targets = at::randint(kVocab, {kRows}, at::kLong);
  const CrossEntropyOptions loss{.smoothing = 0.1, .pad = 0};
  add_pair(
      "cross_entropy", suffix, [=] { return projected_cross_entropy(x, table, targets, loss).smoothed; },
      [=] { return reference::projected_cross_entropy(x, table, targets, loss).smoothed; }, {x, table},
      static_cast<double>(kRows * kWidth * kVocab));
}

/// 280 sequences of 5 to 40 tokens, 15 on average: the packed form against padding.
void register_attention(at::ScalarType type, const std::string& suffix) {
  std::vector<std::int64_t> offsets = {0};
  for (std::int64_t i = 0; i < 280; ++i) offsets.push_back(offsets.back() + (i % 40 == 0 ? 40 : 5 + i * 7 % 21));
  const SeqLayout layout(offsets);
  const at::Tensor q = input({layout.total(), kWidth}, type), k = input({layout.total(), kWidth}, type),
                   v = input({layout.total(), kWidth}, type);
  const PackedAttention options{
      .heads = 4, .causal = true, .scale = 0.177, .dropout = {.p = 0.1, .whole_rows = false, .key = kKey}};
  double visible_pairs = 0;
  for (std::int64_t i = 0; i < layout.count(); ++i) {
    const auto length = static_cast<double>(layout.length(i));
    visible_pairs += length * (length + 1) / 2;
  }
  const auto padded = [=] {
    const auto heads = [&](const at::Tensor& x) {
      return pad_packed(x, layout).view({layout.count(), layout.max_length(), options.heads, -1}).transpose(1, 2);
    };
    const at::Tensor visible = at::arange(1, layout.max_length() + 1, at::kInt).expand({layout.count(), -1});
    const at::Tensor scores = at::matmul(heads(q), heads(k).transpose(-2, -1)) * options.scale;
    const at::Tensor weights = attention_dropout(prefix_softmax(scores, visible), options.dropout, layout.offsets());
    const at::Tensor out = at::matmul(weights, heads(v)).transpose(1, 2);
    return unpad(out.reshape({layout.count(), layout.max_length(), kWidth}), layout);
  };
  // Scores and weighted sums of what the mask leaves; the padded form computes more.
  add_pair(
      "attention", suffix, [=] { return packed_attention(q, k, v, layout, layout, options); }, padded, {q, k, v},
      2 * visible_pairs * static_cast<double>(kWidth));
}

void register_optimizer() {
  at::Tensor p = at::randn({3'000'000}), m = at::zeros_like(p), v = at::zeros_like(p);
  const at::Tensor g = at::randn({3'000'000});
  const AdamOptions options{.lr = 1e-3};
  add("adam/ours", [=]() mutable {
    adam_step(p, g, m, v, 10, options);
    return p;
  });
  add("adam/reference", [=]() mutable {
    reference::adam_step(p, g, m, v, 10, options);
    return p;
  });
  add("norm_of/ours", [=] { return at::full({1}, norm_of(g)); });
  add("norm_of/reference", [=] { return g.norm(); });
}

}  // namespace

void register_benchmarks(int) {
  for (const auto& [type, label] : {std::pair(at::kFloat, "fp32"), std::pair(at::kBFloat16, "bf16")}) {
    register_elementwise(type, label);
    register_products(type, label);
    register_attention(type, label);
  }
  register_optimizer();
}

}  // namespace mha
