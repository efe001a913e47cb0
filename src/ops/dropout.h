#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

namespace mha {

/// Names one dropout mask: the key of (seed, update, micro-batch, site); see base/random.h. The mask is a pure function
/// of key and element number, so it is neither stored for the backward pass nor dependent on the number of threads.
using DropoutKey = std::uint64_t;

/// Whether element number `index` is kept at drop probability p: the definition that every kernel and reference
/// follows. A block of 65,536 elements has a key of its own, inside it a 32-bit mix (two multiplications) of the
/// element's number is compared with p * 2^32.
bool dropout_keeps(DropoutKey key, std::uint64_t index, double p);

/// Dropout at one place. A tensor may hold only some rows of a batch: its element (i, j) of `width` columns has the
/// number (first_row + i) * width + j, so that a batch in parts has the masks of the whole.
struct DropoutSpec {
  double p = 0;
  DropoutKey key = 0;
  std::int64_t first_row = 0;

  std::uint64_t first_element(std::int64_t width) const { return static_cast<std::uint64_t>(first_row * width); }
};

/// x with elements dropped with probability p and the kept ones divided by 1 - p. Any shape, its last dimension being
/// the columns; float, bfloat16 or double. p == 0 returns x itself. Differentiable.
at::Tensor dropout(const at::Tensor& x, const DropoutSpec& spec);
/// The same in place of a contiguous CPU tensor, not differentiable.
void drop_in_place(at::Tensor& x, const DropoutSpec& spec);

/// Numbers of the elements of attention weights do not depend on padding: query i of sequence b in head h has the row
/// number r = (first_row + q_offsets[b] + i) * heads + h. "Element" dropout: element (r, j) has number r * 65536 + j
/// (so at most 65,536 keys); "row" dropout: the whole row has number r.
struct AttnDropout {
  double p = 0;
  bool whole_rows = false;
  DropoutKey key = 0;
  std::int64_t first_row = 0;  // queries of the batch that come before these

  std::uint64_t row(std::int64_t query, std::int64_t heads, std::int64_t head) const {
    return static_cast<std::uint64_t>((first_row + query) * heads + head);
  }
};

/// weights [batch, heads, t_q, t_k]; q_offsets: packed number of each sequence's first query, [batch]. Differentiable.
at::Tensor attention_dropout(const at::Tensor& weights, const AttnDropout& dropout,
                             std::span<const std::int64_t> q_offsets);

}  // namespace mha
