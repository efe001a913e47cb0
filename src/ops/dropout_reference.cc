#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include <vector>

#include "ops/dropout_mask.h"

// The masks by tensor operations, so that they are made on the device where they are used.

namespace mha::reference {

namespace {

constexpr std::int64_t kLow32 = 0xffffffffLL;

/// x * c modulo 2^32 for x below 2^32, by halves of c so that nothing overflows.
at::Tensor product32(const at::Tensor& x, std::int64_t c) {
  return (x * (c & 0xffff) + (x * (c >> 16)).bitwise_and(0xffff) * 65536).bitwise_and(kLow32);
}

/// What dropout_bits gives, for blocks [n] (their random parts in low and high) and elements that broadcast with them.
at::Tensor bits(const at::Tensor& low, const at::Tensor& high, const at::Tensor& element) {
  at::Tensor x = (element + low).bitwise_and(kLow32);
  x = product32(x.bitwise_xor(x.bitwise_right_shift(16)), 0x7feb352d);
  return product32(x.bitwise_xor(x.bitwise_right_shift(15)).bitwise_xor(high), 0x846ca68b);
}

/// The random parts of some blocks, int64 [n].
struct Blocks {
  at::Tensor low, high;

  Blocks(const std::vector<std::uint64_t>& numbers, DropoutKey key, at::Device device) {
    low = at::empty({static_cast<std::int64_t>(numbers.size())}, at::kLong);
    high = at::empty_like(low);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const DropoutBlock block = dropout_block(key, numbers[i]);
      low.mutable_data_ptr<std::int64_t>()[i] = block.low;
      high.mutable_data_ptr<std::int64_t>()[i] = block.high;
    }
    low = low.to(device);
    high = high.to(device);
  }
};

at::Tensor multipliers(const at::Tensor& random_bits, double p) {
  return random_bits.ge(static_cast<std::int64_t>(dropout_threshold(p))).to(at::kDouble) / (1 - p);
}

/// Of elements first .. first + count.
at::Tensor range_multipliers(std::uint64_t first, std::int64_t count, DropoutKey key, double p, at::Device device) {
  const std::uint64_t first_block = first / kDropoutBlock;
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t block = first_block; block * kDropoutBlock < first + static_cast<std::uint64_t>(count); ++block)
    numbers.push_back(block);
  const Blocks blocks(numbers, key, device);
  const auto inside = static_cast<std::int64_t>(first % kDropoutBlock);
  const at::Tensor place = at::arange(inside, inside + count, at::TensorOptions(at::kLong).device(device));
  const at::Tensor block = place.bitwise_right_shift(16);
  return multipliers(
      bits(blocks.low.index_select(0, block), blocks.high.index_select(0, block), place.bitwise_and(0xffff)), p);
}

}  // namespace

at::Tensor dropout_multipliers(const at::Tensor& like, const DropoutSpec& spec) {
  return range_multipliers(spec.first_element(like.size(-1)), like.numel(), spec.key, spec.p, like.device())
      .view(like.sizes());
}

at::Tensor dropout(const at::Tensor& x, const DropoutSpec& spec) {
  if (spec.p == 0) return x;
  return (x * dropout_multipliers(x, spec)).to(x.scalar_type());
}

at::Tensor attention_dropout(const at::Tensor& weights, const AttnDropout& dropout,
                             std::span<const std::int64_t> q_offsets) {
  if (dropout.p == 0) return weights;
  const std::int64_t batch = weights.size(0), heads = weights.size(1), t_q = weights.size(2), t_k = weights.size(3);
  std::vector<std::uint64_t> rows, blocks;
  for (std::int64_t row = 0; row < batch * heads * t_q; ++row) {
    const std::int64_t b = row / (heads * t_q), h = row / t_q % heads, i = row % t_q;
    rows.push_back(dropout.row(q_offsets[static_cast<std::size_t>(b)] + i, heads, h));
    blocks.push_back(dropout.whole_rows ? rows.back() / kDropoutBlock : rows.back());
  }
  const Blocks random(blocks, dropout.key, weights.device());
  at::Tensor element = at::arange(t_k, at::TensorOptions(at::kLong).device(weights.device())).unsqueeze(0);
  if (dropout.whole_rows) {
    element = at::empty({static_cast<std::int64_t>(rows.size()), 1}, at::kLong);
    for (std::size_t i = 0; i < rows.size(); ++i)
      element.mutable_data_ptr<std::int64_t>()[i] = static_cast<std::int64_t>(rows[i] % kDropoutBlock);
    element = element.to(weights.device()).expand({-1, t_k});
  }
  const at::Tensor mask =
      multipliers(bits(random.low.unsqueeze(1), random.high.unsqueeze(1), element), dropout.p).view(weights.sizes());
  return (weights * mask).to(weights.scalar_type());
}

}  // namespace mha::reference
