#include "ops/embedding.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "ops/dispatch.h"
#include "ops/dropout_mask.h"
#include "ops/saved_dropout.h"
#include "ops/simd.h"

namespace mha {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// W: the parameters' type; T: the result's.
template <class T, class W>
MHA_SIMD void embed_row(const W* weight, const W* position, T* out, std::int64_t width, std::uint64_t first,
                        const EmbedOptions& options) {
  const auto scale = static_cast<W>(options.scale), kept = static_cast<W>(1 / (1 - options.dropout.p));
  const std::uint32_t threshold = dropout_threshold(options.dropout.p);
  for_dropout_blocks(options.dropout.key, options.dropout.first_element(width) + first, width,
                     [&](DropoutBlock block, std::uint32_t in_block, std::int64_t offset, std::int64_t n) {
                       for (std::int64_t j = 0; j < n; ++j) {
                         const bool keep = dropout_bits(block, in_block + static_cast<std::uint32_t>(j)) >= threshold;
                         const W sum = weight[offset + j] * scale + position[offset + j];
                         out[offset + j] = narrow<T>(static_cast<Wide<T>>(keep ? sum * kept : W(0)));
                       }
                     });
}

/// table += factor * dropout(gradient row).
template <class T, class W>
MHA_SIMD void add_row(const T* gradient, W* table, std::int64_t width, std::uint64_t first, double factor,
                      const EmbedOptions& options) {
  const auto kept = static_cast<W>(factor / (1 - options.dropout.p));
  const std::uint32_t threshold = dropout_threshold(options.dropout.p);
  for_dropout_blocks(options.dropout.key, options.dropout.first_element(width) + first, width,
                     [&](DropoutBlock block, std::uint32_t in_block, std::int64_t offset, std::int64_t n) {
                       for (std::int64_t j = 0; j < n; ++j) {
                         const bool keep = dropout_bits(block, in_block + static_cast<std::uint32_t>(j)) >= threshold;
                         table[offset + j] += keep ? static_cast<W>(widen(gradient[offset + j])) * kept : W(0);
                       }
                     });
}

/// The gradient of a [entries, width] table of which row ids[i] was used at place i, times factor. Places with equal
/// ids are added in rising order, each table row by one thread.
at::Tensor table_gradient(const at::Tensor& gradient, const at::Tensor& ids, at::IntArrayRef shape, at::ScalarType type,
                          double factor, const EmbedOptions& options) {
  const std::int64_t rows = ids.numel(), width = shape[1];
  at::Tensor table = at::zeros(shape, gradient.options().dtype(type));
  const std::int64_t* id = ids.const_data_ptr<std::int64_t>();
  std::vector<std::int64_t> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [id](std::int64_t a, std::int64_t b) { return id[a] < id[b]; });
  std::vector<std::int64_t> groups;  // where in `order` each run of equal ids starts
  for (std::int64_t i = 0; i < rows; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (i == 0 || id[order[at]] != id[order[at - 1]]) groups.push_back(i);
  }
  groups.push_back(rows);
  with_float_type(gradient.scalar_type(), [&]<class T>() {
    with_wide_type(type, [&]<class W>() {
      W* out = table.mutable_data_ptr<W>();
      at::parallel_for(0, static_cast<std::int64_t>(groups.size()) - 1, 64, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = groups[static_cast<std::size_t>(begin)]; i < groups[static_cast<std::size_t>(end)]; ++i) {
          const std::int64_t place = order[static_cast<std::size_t>(i)];
          add_row(gradient.const_data_ptr<T>() + place * width, out + id[place] * width, width,
                  static_cast<std::uint64_t>(place * width), factor, options);
        }
      });
    });
  });
  return table;
}

struct Embed : torch::autograd::Function<Embed> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& tokens, const at::Tensor& position_ids,
                            const at::Tensor& weight, const at::Tensor& positions, const EmbedOptions& options) {
    const at::Tensor ids = tokens.contiguous(), places = position_ids.contiguous();
    const at::Tensor table = weight.contiguous(), position_table = positions.contiguous();
    const std::int64_t rows = ids.numel(), width = weight.size(1);
    at::Tensor out = at::empty({rows, width}, weight.options().dtype(options.dtype));
    with_float_type(options.dtype, [&]<class T>() {
      with_wide_type(weight.scalar_type(), [&]<class W>() {
        const W* from = table.const_data_ptr<W>();
        const W* from_positions = position_table.const_data_ptr<W>();
        at::parallel_for(0, rows, 128, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i) {
            embed_row(from + ids.const_data_ptr<std::int64_t>()[i] * width,
                      from_positions + places.const_data_ptr<std::int64_t>()[i] * width,
                      out.mutable_data_ptr<T>() + i * width, width, static_cast<std::uint64_t>(i * width), options);
          }
        });
      });
    });
    ctx->save_for_backward({ids, places});
    ctx->saved_data["scale"] = options.scale;
    save_dropout(ctx, options.dropout);
    ctx->saved_data["type"] = weight.scalar_type();
    ctx->saved_data["tokens"] = weight.size(0);
    ctx->saved_data["positions"] = positions.size(0);
    return out;
  }
  static variable_list backward(AutogradContext* ctx, const variable_list& gradients) {
    const variable_list saved = ctx->get_saved_variables();
    const at::Tensor gradient = gradients[0].contiguous();
    const EmbedOptions options{
        .scale = ctx->saved_data["scale"].toDouble(), .dropout = saved_dropout(ctx), .dtype = gradient.scalar_type()};
    const at::ScalarType type = ctx->saved_data["type"].toScalarType();
    const std::int64_t width = gradient.size(1);
    variable_list out(5);
    if (ctx->needs_input_grad(2)) {
      out[2] =
          table_gradient(gradient, saved[0], {ctx->saved_data["tokens"].toInt(), width}, type, options.scale, options);
    }
    if (ctx->needs_input_grad(3)) {
      out[3] = table_gradient(gradient, saved[1], {ctx->saved_data["positions"].toInt(), width}, type, 1, options);
    }
    return out;
  }
};

void check_ids(const at::Tensor& ids, std::int64_t entries, const char* what) {
  if (ids.numel() == 0) return;
  TORCH_CHECK(ids.min().item<std::int64_t>() >= 0 && ids.max().item<std::int64_t>() < entries, what,
              " outside the table of ", entries);
}

}  // namespace

at::Tensor embed(const at::Tensor& tokens, const at::Tensor& position_ids, const at::Tensor& weight,
                 const at::Tensor& positions, const EmbedOptions& options) {
  if (!weight.is_cpu()) return reference::embed(tokens, position_ids, weight, positions, options);
  TORCH_CHECK(tokens.numel() == position_ids.numel() && weight.size(1) == positions.size(1) &&
                  weight.scalar_type() == positions.scalar_type() && weight.scalar_type() == wide_type(weight),
              "tokens and positions do not fit: ", tokens.sizes(), ", ", position_ids.sizes(), ", ", weight.sizes(),
              ", ", positions.sizes());
  check_ids(tokens, weight.size(0), "a token is");
  check_ids(position_ids, positions.size(0), "a position is");
  return Embed::apply(tokens, position_ids, weight, positions, options);
}

namespace reference {

at::Tensor embed(const at::Tensor& tokens, const at::Tensor& position_ids, const at::Tensor& weight,
                 const at::Tensor& positions, const EmbedOptions& options) {
  const at::Tensor sum = weight.index_select(0, tokens) * options.scale + positions.index_select(0, position_ids);
  return reference::dropout(sum, options.dropout).to(options.dtype);
}

}  // namespace reference
}  // namespace mha
