#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "base/random.h"
#include "ops/inference/aligned_vector.h"

namespace mha::testing {

/// Rows of floats, each of which starts where the one before ends.
struct Matrix {
  std::int64_t rows, columns;
  AlignedVector<float> data;

  Matrix(std::int64_t row_count, std::int64_t column_count)
      : rows(row_count), columns(column_count), data(static_cast<std::size_t>(row_count * column_count)) {}
  float& operator()(std::int64_t i, std::int64_t j) { return data[static_cast<std::size_t>(i * columns + j)]; }
  float operator()(std::int64_t i, std::int64_t j) const { return data[static_cast<std::size_t>(i * columns + j)]; }
  Matrix rows_from(std::int64_t first, std::int64_t count) const {
    Matrix some(count, columns);
    std::memcpy(some.data.data(), data.data() + first * columns, some.data.size() * sizeof(float));
    return some;
  }
};

inline bool same_bytes(const Matrix& a, const Matrix& b) {
  return a.data.size() == b.data.size() &&
         std::memcmp(a.data.data(), b.data.data(), a.data.size() * sizeof(float)) == 0;
}

/// Numbers in [-1, 1).
inline Matrix random_matrix(std::int64_t rows, std::int64_t columns, std::uint64_t key) {
  RandomStream random(key);
  Matrix matrix(rows, columns);
  for (float& x : matrix.data) x = static_cast<float>(2 * random.uniform() - 1);
  return matrix;
}

}  // namespace mha::testing
