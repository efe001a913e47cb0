#include "decode/hypothesis.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mha {

double length_normalised(double log_prob, std::int64_t length, const SearchOptions& options) {
  // A penalty that overflows would turn -inf into NaN.
  if (log_prob == -std::numeric_limits<double>::infinity()) return log_prob;
  const double n = static_cast<double>(length);
  const double base = options.lenpen_type == LengthPenalty::avg ? n : (5.0 + n) / 6.0;
  return log_prob / std::pow(base, options.lenpen);
}

std::int64_t output_limit(std::int64_t source_length, std::int64_t model_limit, const SearchOptions& options) {
  const double wanted = options.max_len_a * static_cast<double>(source_length) + static_cast<double>(options.max_len_b);
  if (wanted >= static_cast<double>(model_limit)) return std::max<std::int64_t>(model_limit, 1);
  return std::max<std::int64_t>(static_cast<std::int64_t>(wanted), 1);
}

}  // namespace mha
