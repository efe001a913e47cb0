// Each operation beside its plain reference, forward and backward, at the shapes of a small model: 4,096 tokens,
// d_model 128, 4 heads, vocabulary 8,000. Set the number of threads with OMP_NUM_THREADS.
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros_like.h>
#include <benchmark/benchmark.h>

#include <functional>
#include <string>
#include <vector>

#include "ops/adam.h"
#include "ops/cross_entropy.h"
#include "ops/dropout_mask.h"
#include "ops/embedding.h"
#include "ops/linear.h"
#include "ops/masked_softmax.h"
#include "ops/memory.h"
#include "ops/norm.h"
#include "ops/packed_attention.h"

namespace mha {
namespace {

constexpr std::int64_t kRows = 4096, kWidth = 128, kVocab = 8000;
constexpr DropoutKey kKey = 7;
const DropoutSpec kDropout{.p = 0.3, .key = kKey};

at::Tensor input(at::IntArrayRef shape, at::ScalarType type) { return at::randn(shape).to(type).requires_grad_(); }

/// Runs make() and, where its result wants gradients, the backward pass.
void add(const std::string& name, const std::function<at::Tensor()>& make, const std::vector<at::Tensor>& leaves = {}) {
  benchmark::RegisterBenchmark(name.c_str(), [make, leaves](benchmark::State& state) {
    const at::Tensor once = make();
    const at::Tensor gradient = at::randn(once.sizes()).to(once.scalar_type());
    for (auto _ : state) {
      const at::Tensor result = make();
      if (result.requires_grad()) result.backward(gradient);
      for (at::Tensor leaf : leaves) leaf.mutable_grad().reset();
    }
  })->Unit(benchmark::kMillisecond);
}

void register_all(at::ScalarType type, const std::string& suffix) {
  const at::Tensor x = input({kRows, kWidth}, type), branch = input({kRows, kWidth}, type);
  add("dropout/ours/" + suffix, [=] { return dropout(x, kDropout); }, {x});
  add("dropout/reference/" + suffix, [=] { return reference::dropout(x, kDropout); }, {x});

  const at::Tensor scores = input({100, 4, 40, 40}, type), visible = at::full({100, 40}, 35, at::kInt);
  add("prefix_softmax/ours/" + suffix, [=] { return prefix_softmax(scores, visible); }, {scores});
  add("prefix_softmax/reference/" + suffix, [=] { return reference::prefix_softmax(scores, visible); }, {scores});
  std::vector<std::int64_t> offsets;
  for (std::int64_t i = 0; i < 100; ++i) offsets.push_back(40 * i);
  const AttnDropout attention{.p = 0.1, .whole_rows = false, .key = kKey};
  add("attention_dropout/ours/" + suffix, [=] { return attention_dropout(scores, attention, offsets); }, {scores});
  add("attention_dropout/reference/" + suffix, [=] { return reference::attention_dropout(scores, attention, offsets); },
      {scores});

  const NormWeights norm{.gamma = input({kWidth}, at::kFloat), .beta = input({kWidth}, at::kFloat)};
  const std::vector<at::Tensor> leaves = {x, branch, norm.gamma, norm.beta};
  add(
      "add_dropout_norm/ours/" + suffix, [=] { return add_dropout_norm(x, branch, norm, kDropout).normed; }, leaves);
  add(
      "add_dropout_norm/reference/" + suffix,
      [=] { return reference::add_dropout_norm(x, branch, norm, kDropout).normed; }, leaves);

  const at::Tensor weight = input({256, kWidth}, at::kFloat), bias = input({256}, at::kFloat);
  add("linear/ours/" + suffix, [=] { return linear(x, weight, bias); }, {x, weight, bias});
  add("linear/reference/" + suffix, [=] { return reference::linear(x, weight, bias); }, {x, weight, bias});

  const at::Tensor table = input({kVocab, kWidth}, at::kFloat), targets = at::randint(kVocab, {kRows}, at::kLong);
  const CrossEntropyOptions loss{.smoothing = 0.1, .pad = 0};
  add("cross_entropy/ours/" + suffix, [=] { return projected_cross_entropy(x, table, targets, loss).smoothed; },
      {x, table});
  add("cross_entropy/reference/" + suffix,
      [=] { return reference::projected_cross_entropy(x, table, targets, loss).smoothed; }, {x, table});

  const at::Tensor positions = at::randn({512, kWidth}), ids = at::arange(kRows, at::kLong).remainder(40);
  const EmbedOptions embedding{.scale = 11.3, .dropout = kDropout, .dtype = type};
  add("embed/ours/" + suffix, [=] { return embed(targets, ids, table, positions, embedding); }, {table});
  add("embed/reference/" + suffix, [=] { return reference::embed(targets, ids, table, positions, embedding); },
      {table});
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
  add("attention/ours/" + suffix, [=] { return packed_attention(q, k, v, layout, layout, options); }, {q, k, v});
  add("attention/padded/" + suffix,
      [=] {
        const auto heads = [&](const at::Tensor& x) {
          return pad_packed(x, layout).view({layout.count(), layout.max_length(), options.heads, -1}).transpose(1, 2);
        };
        const at::Tensor visible = at::arange(1, layout.max_length() + 1, at::kInt).expand({layout.count(), -1});
        const at::Tensor scores = at::matmul(heads(q), heads(k).transpose(-2, -1)) * options.scale;
        const at::Tensor weights =
            attention_dropout(prefix_softmax(scores, visible), options.dropout, layout.offsets());
        const at::Tensor out = at::matmul(weights, heads(v)).transpose(1, 2);
        return unpad(out.reshape({layout.count(), layout.max_length(), kWidth}), layout);
      },
      {q, k, v});
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
}  // namespace mha

int main(int argc, char** argv) {
  mha::keep_freed_pages();
  mha::register_all(at::kFloat, "fp32");
  mha::register_all(at::kBFloat16, "bf16");
  mha::register_attention(at::kFloat, "fp32");
  mha::register_attention(at::kBFloat16, "bf16");
  mha::register_optimizer();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
