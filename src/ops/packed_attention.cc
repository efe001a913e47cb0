#include "ops/packed_attention.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <vector>

#include "ops/columns.h"
#include "ops/dispatch.h"
#include "ops/packed_attention_kernels.h"
#include "ops/saved_dropout.h"

namespace mha {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Rows may lie apart (columns of a wider projection), columns may not.
at::Tensor with_dense_rows(const at::Tensor& x) { return x.stride(1) == 1 || x.size(1) == 1 ? x : x.contiguous(); }

template <class T>
HeadSlice<T> slice(const at::Tensor& x, std::int64_t first_row, std::int64_t head, std::int64_t width) {
  return {x.const_data_ptr<T>() + first_row * x.stride(0) + head * width, x.stride(0)};
}

HeadShape shape_of(const at::Tensor& q, const at::Tensor& v, const SeqLayout& q_layout, const SeqLayout& k_layout,
                   const PackedAttention& options, std::int64_t sequence, std::int64_t head) {
  return {.queries = q_layout.length(sequence),
          .keys = k_layout.length(sequence),
          .d_k = q.size(1) / options.heads,
          .d_v = v.size(1) / options.heads,
          .first_row = options.dropout.row(q_layout.start(sequence), options.heads, head),
          .options = &options};
}

/// Calls f(sequence, head, scratch) for all. Each thread gets neighbouring sequences of about equal work; the heads of
/// a sequence come one after another, while its rows are in the cache.
template <class W, class F>
void for_heads(const SeqLayout& q_layout, const SeqLayout& k_layout, std::int64_t heads, F&& f) {
  constexpr std::int64_t kRowCost = 32;  // of reading and writing a row, in scores
  std::vector<std::int64_t> work = {0};  // up to each sequence
  for (std::int64_t b = 0; b < q_layout.count(); ++b) {
    const std::int64_t queries = q_layout.length(b), keys = k_layout.length(b);
    work.push_back(work.back() + queries * keys + kRowCost * (queries + keys));
  }
  const std::int64_t parts = at::get_num_threads();
  const auto first = [&](std::int64_t part) {
    return std::lower_bound(work.begin(), work.end(), work.back() * part / parts) - work.begin();
  };
  at::parallel_for(0, parts, 1, [&](std::int64_t begin, std::int64_t end) {
    HeadScratch<W> scratch;
    const std::int64_t last = end == parts ? q_layout.count() : first(end);
    for (std::int64_t b = first(begin); b < last; ++b) {
      for (std::int64_t h = 0; h < heads; ++h) f(b, h, scratch);
    }
  });
}

void save(AutogradContext* ctx, const SeqLayout& q_layout, const SeqLayout& k_layout, const PackedAttention& options) {
  ctx->saved_data["q_offsets"] = q_layout.offsets();
  ctx->saved_data["k_offsets"] = k_layout.offsets();
  ctx->saved_data["heads"] = options.heads;
  ctx->saved_data["causal"] = options.causal;
  ctx->saved_data["scale"] = options.scale;
  save_attention_dropout(ctx, options.dropout);
}

PackedAttention saved_options(AutogradContext* ctx) {
  return {.heads = ctx->saved_data["heads"].toInt(),
          .causal = ctx->saved_data["causal"].toBool(),
          .scale = ctx->saved_data["scale"].toDouble(),
          .dropout = saved_attention_dropout(ctx)};
}

struct Attend : torch::autograd::Function<Attend> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& q_in, const at::Tensor& k_in,
                            const at::Tensor& v_in, const SeqLayout& q_layout, const SeqLayout& k_layout,
                            const PackedAttention& options) {
    const at::Tensor q = with_dense_rows(q_in), k = with_dense_rows(k_in), v = with_dense_rows(v_in);
    const std::int64_t width = v.size(1), d_k = q.size(1) / options.heads, d_v = width / options.heads;
    at::Tensor out = at::empty({q_layout.total(), width}, q.options());
    at::Tensor log_sums = at::empty({q_layout.total(), options.heads}, q.options().dtype(wide_type(q)));
    with_float_type(q.scalar_type(), [&]<class T>() {
      using W = Wide<T>;
      T* to = out.mutable_data_ptr<T>();
      W* sums = log_sums.mutable_data_ptr<W>();
      for_heads<W>(q_layout, k_layout, options.heads, [&](std::int64_t b, std::int64_t h, HeadScratch<W>& scratch) {
        const HeadShape shape = shape_of(q, v, q_layout, k_layout, options, b, h);
        const std::int64_t row = q_layout.start(b), key = k_layout.start(b);
        attend<T>(shape, slice<T>(q, row, h, d_k), slice<T>(k, key, h, d_k), slice<T>(v, key, h, d_v),
                  to + row * width + h * d_v, width, sums + row * options.heads + h, scratch);
      });
    });
    ctx->save_for_backward({q, k, v, log_sums});
    save(ctx, q_layout, k_layout, options);
    return out;
  }

  static variable_list backward(AutogradContext* ctx, const variable_list& gradients) {
    const variable_list saved = ctx->get_saved_variables();
    const at::Tensor &q = saved[0], &k = saved[1], &v = saved[2], &log_sums = saved[3];
    const at::Tensor d_out = with_dense_rows(gradients[0]);
    const SeqLayout q_layout(ctx->saved_data["q_offsets"].toIntVector()),
        k_layout(ctx->saved_data["k_offsets"].toIntVector());
    const PackedAttention options = saved_options(ctx);
    const std::int64_t d_k = q.size(1) / options.heads, d_v = v.size(1) / options.heads;
    // Side by side where queries, keys and values are: then joint_linear reads them as one matrix.
    const bool self = q.is_alias_of(k);
    std::vector<at::Tensor> all = self ? empty_columns_like({q, k, v}) : empty_columns_like({k, v});
    if (!self) all.insert(all.begin(), at::empty(q.sizes(), q.options()));
    at::Tensor &d_query = all[0], &d_key = all[1], &d_value = all[2];
    with_float_type(q.scalar_type(), [&]<class T>() {
      using W = Wide<T>;
      T *to_q = d_query.mutable_data_ptr<T>(), *to_k = d_key.mutable_data_ptr<T>(),
        *to_v = d_value.mutable_data_ptr<T>();
      for_heads<W>(q_layout, k_layout, options.heads, [&](std::int64_t b, std::int64_t h, HeadScratch<W>& scratch) {
        const HeadShape shape = shape_of(q, v, q_layout, k_layout, options, b, h);
        const std::int64_t row = q_layout.start(b), key = k_layout.start(b);
        const HeadGradients<T> to{.q = to_q + row * d_query.stride(0) + h * d_k,
                                  .k = to_k + key * d_key.stride(0) + h * d_k,
                                  .v = to_v + key * d_value.stride(0) + h * d_v,
                                  .q_row = d_query.stride(0),
                                  .k_row = d_key.stride(0),
                                  .v_row = d_value.stride(0)};
        attend_backward<T>(shape, slice<T>(q, row, h, d_k), slice<T>(k, key, h, d_k), slice<T>(v, key, h, d_v),
                           slice<T>(d_out, row, h, d_v), log_sums.const_data_ptr<W>() + row * options.heads + h, to,
                           scratch);
      });
    });
    return {d_query, d_key, d_value, {}, {}, {}};
  }
};

}  // namespace

at::Tensor packed_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const SeqLayout& q_layout,
                            const SeqLayout& k_layout, const PackedAttention& options) {
  TORCH_CHECK(q.dim() == 2 && k.dim() == 2 && v.dim() == 2 && q.size(0) == q_layout.total() &&
                  k.size(0) == k_layout.total() && v.size(0) == k_layout.total() &&
                  q_layout.count() == k_layout.count(),
              "packed attention's rows do not fit their layouts: ", q.sizes(), ", ", k.sizes(), " and ", v.sizes());
  TORCH_CHECK(q.size(1) == k.size(1) && q.size(1) % options.heads == 0 && v.size(1) % options.heads == 0, "widths ",
              q.size(1), ", ", k.size(1), " and ", v.size(1), " do not divide into ", options.heads, " heads");
  TORCH_CHECK(options.dropout.p == 0 || options.dropout.whole_rows ||
                  k_layout.max_length() <= static_cast<std::int64_t>(kDropoutBlock),
              "attention dropout takes at most 65,536 keys");
  if (!q.is_cpu()) return reference::packed_attention(q, k, v, q_layout, k_layout, options);
  return Attend::apply(q, k, v, q_layout, k_layout, options);
}

}  // namespace mha
