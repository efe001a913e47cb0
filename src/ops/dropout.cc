#include "ops/dropout.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include "ops/dispatch.h"
#include "ops/dropout_mask.h"
#include "ops/saved_dropout.h"
#include "ops/simd.h"

namespace mha {

bool dropout_keeps(DropoutKey key, std::uint64_t index, double p) {
  return dropout_bits(dropout_block(key, index / kDropoutBlock), static_cast<std::uint32_t>(index % kDropoutBlock)) >=
         dropout_threshold(p);
}

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// out = in with elements dropped; the first element has number `first` inside its block.
template <class T>
MHA_SIMD void drop_block(const T* in, T* out, std::int64_t count, std::uint32_t first, DropoutBlock block, double p) {
  const std::uint32_t threshold = dropout_threshold(p);
  const auto scale = static_cast<Wide<T>>(1 / (1 - p));
  const auto n = static_cast<std::uint32_t>(count);
  for (std::uint32_t i = 0; i < n; ++i) {
    const bool keep = dropout_bits(block, first + i) >= threshold;
    out[i] = narrow<T>(keep ? widen(in[i]) * scale : Wide<T>(0));
  }
}

template <class T>
MHA_SIMD void scale_row(const T* in, T* out, std::int64_t count, Wide<T> factor) {
  for (std::int64_t i = 0; i < count; ++i) out[i] = narrow<T>(factor == 0 ? Wide<T>(0) : widen(in[i]) * factor);
}

/// out = in with elements dropped, both contiguous; may be the same.
void drop_into(const at::Tensor& in, const at::Tensor& out, const DropoutSpec& spec) {
  const std::uint64_t before = spec.first_element(in.size(-1));
  with_float_type(in.scalar_type(), [&]<class T>() {
    const T* from = in.const_data_ptr<T>();
    T* to = out.mutable_data_ptr<T>();
    at::parallel_for(0, in.numel(), kDropoutBlock / 4, [&](std::int64_t begin, std::int64_t end) {
      for_dropout_blocks(spec.key, before + static_cast<std::uint64_t>(begin), end - begin,
                         [&](DropoutBlock block, std::uint32_t first, std::int64_t offset, std::int64_t count) {
                           drop_block(from + begin + offset, to + begin + offset, count, first, block, spec.p);
                         });
    });
  });
}

at::Tensor drop(const at::Tensor& x, const DropoutSpec& spec) {
  const at::Tensor in = x.contiguous(), out = at::empty_like(in);
  drop_into(in, out, spec);
  return out;
}

at::Tensor drop_attention(const at::Tensor& weights, const AttnDropout& dropout,
                          std::span<const std::int64_t> q_offsets) {
  const at::Tensor in = weights.contiguous();
  at::Tensor out = at::empty_like(in);
  const std::int64_t heads = in.size(1), t_q = in.size(2), t_k = in.size(3);
  const auto factor = 1 / (1 - dropout.p);
  with_float_type(in.scalar_type(), [&]<class T>() {
    const T* from = in.const_data_ptr<T>();
    T* to = out.mutable_data_ptr<T>();
    at::parallel_for(0, in.size(0) * heads, 4, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin * t_q; row < end * t_q; ++row) {
        const std::int64_t b = row / (heads * t_q), h = row / t_q % heads, i = row % t_q;
        const std::uint64_t r = dropout.row(q_offsets[static_cast<std::size_t>(b)] + i, heads, h);
        if (dropout.whole_rows) {
          const bool keep = dropout_keeps(dropout.key, r, dropout.p);
          scale_row(from + row * t_k, to + row * t_k, t_k, static_cast<Wide<T>>(keep ? factor : 0));
        } else {
          drop_block(from + row * t_k, to + row * t_k, t_k, 0, dropout_block(dropout.key, r), dropout.p);
        }
      }
    });
  });
  return out;
}

struct Dropout : torch::autograd::Function<Dropout> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x, const DropoutSpec& spec) {
    save_dropout(ctx, spec);
    return drop(x, spec);
  }
  static variable_list backward(AutogradContext* ctx, variable_list gradients) {
    return {drop(gradients[0], saved_dropout(ctx)), {}};
  }
};

struct AttentionDropout : torch::autograd::Function<AttentionDropout> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& weights, const AttnDropout& dropout,
                            std::span<const std::int64_t> q_offsets) {
    save_attention_dropout(ctx, dropout);
    ctx->saved_data["offsets"] = std::vector<std::int64_t>(q_offsets.begin(), q_offsets.end());
    return drop_attention(weights, dropout, q_offsets);
  }
  static variable_list backward(AutogradContext* ctx, variable_list gradients) {
    return {
        drop_attention(gradients[0], saved_attention_dropout(ctx), ctx->saved_data["offsets"].toIntVector()), {}, {}};
  }
};

}  // namespace

at::Tensor dropout(const at::Tensor& x, const DropoutSpec& spec) {
  if (spec.p == 0) return x;
  return x.is_cpu() ? Dropout::apply(x, spec) : reference::dropout(x, spec);
}

void drop_in_place(at::Tensor& x, const DropoutSpec& spec) {
  if (spec.p != 0) drop_into(x, x, spec);
}

at::Tensor attention_dropout(const at::Tensor& weights, const AttnDropout& dropout,
                             std::span<const std::int64_t> q_offsets) {
  if (dropout.p == 0) return weights;
  TORCH_CHECK(weights.dim() == 4 && q_offsets.size() >= static_cast<std::size_t>(weights.size(0)),
              "attention dropout needs [batch, heads, queries, keys] and an offset for every sequence");
  TORCH_CHECK(weights.size(3) <= static_cast<std::int64_t>(kDropoutBlock),
              "attention dropout takes at most 65,536 keys");
  return weights.is_cpu() ? AttentionDropout::apply(weights, dropout, q_offsets)
                          : reference::attention_dropout(weights, dropout, q_offsets);
}

}  // namespace mha
