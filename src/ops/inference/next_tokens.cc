#include "ops/inference/next_tokens.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/simd.h"
#include "ops/vector_exp.h"

namespace mha {
namespace {

constexpr float kLowest = -std::numeric_limits<float>::infinity();
constexpr std::int64_t kBlock = 64;

using Vector = LaneVector<float>::type;

/// The largest of `count` numbers, at least -inf.
MHA_SIMD float largest_of(const float* x, std::int64_t count) {
  Vector lanes = Vector{} + kLowest, v;
  for (std::int64_t i = 0; i < count; i += kLanes) {
    __builtin_memcpy(&v, x + i, sizeof(v));
    lanes = v > lanes ? v : lanes;
  }
  float largest = kLowest;
  for (std::int64_t j = 0; j < kLanes; ++j) largest = lanes[j] > largest ? lanes[j] : largest;
  return largest;
}

/// The sum of exp(x - shift); `count` is a multiple of kLanes.
MHA_SIMD float sum_of_exp(const float* x, std::int64_t count, float shift) {
  Vector even = {}, odd = {}, v, w;
  std::int64_t i = 0;
  for (; i + 2 * kLanes <= count; i += 2 * kLanes) {
    __builtin_memcpy(&v, x + i, sizeof(v));
    __builtin_memcpy(&w, x + i + kLanes, sizeof(w));
    v -= shift;
    w -= shift;
    exp_lanes(v);
    exp_lanes(w);
    even += v;
    odd += w;
  }
  even += odd;
  return fold_sum<float>(even);
}

MHA_SIMD bool any_above(const float* block, float threshold) {
  unsigned any = 0;
  for (std::int64_t i = 0; i < kBlock; ++i) any |= static_cast<unsigned>(block[i] > threshold);
  return any != 0;
}

/// Puts an entry into a row's sorted list of at most k. Tokens come in ascending order, so an equal number never
/// displaces one that is there.
void insert(RankedToken entry, std::int64_t k, RankedToken* best, std::int32_t& count, float& threshold) {
  std::int64_t place = count < k ? count++ : k - 1;
  for (; place > 0 && best[place - 1].log_prob < entry.log_prob; --place) best[place] = best[place - 1];
  best[place] = entry;
  if (count == k) threshold = best[k - 1].log_prob;
}

}  // namespace

static_assert(NextTokens::kStrip % (2 * kLanes) == 0 && kPanel % (2 * kLanes) == 0 && NextTokens::kStrip % kBlock == 0);

void NextTokens::read_strip(const NextTokenQuery& query, std::int64_t first_token, std::int64_t tokens, float* logits,
                            Row& row, RankedToken* best) const {
  const float largest = largest_of(logits, tokens);
  if (largest > row.largest) {
    row.sum *= std::exp(row.largest - largest);
    row.largest = largest;
  }
  row.sum += sum_of_exp(logits, tokens, row.largest);
  const auto inside = [&](std::int32_t token) { return token >= first_token && token < first_token + tokens; };
  if (inside(query.end)) row.end = logits[query.end - first_token];
  for (const std::int32_t token : query.never) {
    if (inside(token)) logits[token - first_token] = kLowest;
  }
  if (!(largest > row.threshold)) return;
  for (std::int64_t begin = 0; begin < tokens; begin += kBlock) {
    const std::int64_t end = std::min(begin + kBlock, tokens);
    if (end - begin == kBlock && !any_above(logits + begin, row.threshold)) continue;
    for (std::int64_t i = begin; i < end; ++i) {
      if (!(logits[i] > row.threshold)) continue;
      insert({logits[i], static_cast<std::int32_t>(first_token + i)}, query.k, best, row.count, row.threshold);
    }
  }
}

void NextTokens::find(const ProductRows& hidden, const PackedWeights& weights, const NextTokenQuery& query,
                      NextTokenTable& table) {
  const auto rows = static_cast<std::size_t>(hidden.rows());
  table.k = query.k;
  table.best.resize(rows * static_cast<std::size_t>(query.k));
  table.counts.resize(rows);
  table.end.resize(rows);
  rows_.assign(rows, {.largest = kLowest, .sum = 0, .threshold = kLowest, .end = kLowest, .count = 0});
  float* logits = at_least_size(logits_, kLogitRows * kStrip);
  for (std::int64_t first = 0; first < hidden.rows(); first += kLogitRows) {
    const std::int64_t count = std::min(kLogitRows, hidden.rows() - first);
    for (std::int64_t panel = 0; panel < weights.panels(); panel += kStripPanels) {
      const std::int64_t panels = std::min(kStripPanels, weights.panels() - panel);
      multiply(hidden, weights, {.first_row = first, .rows = count, .first_panel = panel, .panels = panels}, logits,
               kStrip);
      for (std::int64_t i = 0; i < count; ++i) {
        read_strip(query, panel * kPanel, panels * kPanel, logits + i * kStrip,
                   rows_[static_cast<std::size_t>(first + i)],
                   &table.best[static_cast<std::size_t>((first + i) * query.k)]);
      }
    }
  }
  for (std::size_t i = 0; i < rows; ++i) {
    const Row& row = rows_[i];
    const float log_sum = std::log(row.sum);
    const auto log_prob = [&](float logit) { return (logit - row.largest) - log_sum; };
    table.end[i] = log_prob(row.end);
    table.counts[i] = std::isfinite(log_sum) ? row.count : 0;
    for (std::int64_t j = 0; j < row.count; ++j) {
      RankedToken& entry = table.best[i * static_cast<std::size_t>(query.k) + static_cast<std::size_t>(j)];
      entry.log_prob = std::min(log_prob(entry.log_prob), 0.0F);
    }
  }
}

}  // namespace mha
