#include "ops/inference/packed_product_x86.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#include <utility>
#define MHA_BF16_TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512bf16")))
#define MHA_INT8_TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")))

namespace mha {
namespace {

// Every loop over R is unrolled, so that the sums are registers and no array.

/// R rows: sums[row][half] over pairs of the inner dimension.
template <int R>
MHA_BF16_TARGET void tile_bf16(const PanelProduct& p) {
  __m512 sums[R][2];
#pragma GCC unroll 12
  for (int r = 0; r < R; ++r) sums[r][0] = sums[r][1] = _mm512_setzero_ps();
  const std::uint32_t* w = p.weights;
  for (std::int64_t i = 0; i < p.inner; ++i, w += 32) {
    const auto left = reinterpret_cast<__m512bh>(_mm512_load_si512(w));
    const auto right = reinterpret_cast<__m512bh>(_mm512_load_si512(w + 16));
#pragma GCC unroll 12
    for (int r = 0; r < R; ++r) {
      const auto x = reinterpret_cast<__m512bh>(_mm512_set1_epi32(static_cast<int>(p.x[r * p.x_stride + i])));
      sums[r][0] = _mm512_dpbf16_ps(sums[r][0], left, x);
      sums[r][1] = _mm512_dpbf16_ps(sums[r][1], right, x);
    }
  }
  const __m512 lowest = _mm512_set1_ps(p.relu ? 0.0F : -__builtin_inff());
#pragma GCC unroll 12
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 2
    for (int half = 0; half < 2; ++half) {
      const __m512 y = _mm512_add_ps(sums[r][half], _mm512_load_ps(p.bias + 16 * half));
      _mm512_store_ps(p.y + r * p.y_stride + 16 * half, y < lowest ? lowest : y);
    }
  }
}

/// Sums as the type that they are added in: an array of __m512i, which is one of 64-bit numbers, is kept in memory.
typedef std::int32_t Sums __attribute__((vector_size(64)));

MHA_INT8_TARGET inline __m512i bits(Sums x) { return reinterpret_cast<__m512i>(x); }

/// R rows: integer sums over quads, then scaled back.
template <int R>
MHA_INT8_TARGET void tile_int8(const PanelProduct& p) {
  Sums sums[R][2];
#pragma GCC unroll 12
  for (int r = 0; r < R; ++r) {
    sums[r][0] = reinterpret_cast<Sums>(_mm512_load_si512(p.offsets));
    sums[r][1] = reinterpret_cast<Sums>(_mm512_load_si512(p.offsets + 16));
  }
  const std::uint32_t* w = p.weights;
  for (std::int64_t i = 0; i < p.inner; ++i, w += 32) {
    const __m512i left = _mm512_load_si512(w), right = _mm512_load_si512(w + 16);
#pragma GCC unroll 12
    for (int r = 0; r < R; ++r) {
      const __m512i x = _mm512_set1_epi32(static_cast<int>(p.x[r * p.x_stride + i]));
      sums[r][0] = reinterpret_cast<Sums>(_mm512_dpbusd_epi32(bits(sums[r][0]), x, left));
      sums[r][1] = reinterpret_cast<Sums>(_mm512_dpbusd_epi32(bits(sums[r][1]), x, right));
    }
  }
  const __m512 lowest = _mm512_set1_ps(p.relu ? 0.0F : -__builtin_inff());
#pragma GCC unroll 12
  for (int r = 0; r < R; ++r) {
    const __m512 row_scale = _mm512_set1_ps(p.row_scales[r]);
#pragma GCC unroll 2
    for (int half = 0; half < 2; ++half) {
      const __m512 scale = _mm512_mul_ps(row_scale, _mm512_load_ps(p.scales + 16 * half));
      const __m512 y =
          _mm512_fmadd_ps(__builtin_convertvector(sums[r][half], __m512), scale, _mm512_load_ps(p.bias + 16 * half));
      _mm512_store_ps(p.y + r * p.y_stride + 16 * half, y < lowest ? lowest : y);
    }
  }
}

using Tile = void (*)(const PanelProduct&);

template <std::size_t... rows>
constexpr std::array<Tile, kTileRows> bf16_tiles(std::index_sequence<rows...>) {
  return {&tile_bf16<static_cast<int>(rows) + 1>...};
}
template <std::size_t... rows>
constexpr std::array<Tile, kTileRows> int8_tiles(std::index_sequence<rows...>) {
  return {&tile_int8<static_cast<int>(rows) + 1>...};
}

void for_tiles(const std::array<Tile, kTileRows>& tiles, PanelProduct p, std::int64_t rows) {
  while (rows > 0) {
    const std::int64_t count = std::min(rows, kTileRows);
    tiles[static_cast<std::size_t>(count - 1)](p);
    p.x += count * p.x_stride;
    p.y += count * p.y_stride;
    if (p.row_scales != nullptr) p.row_scales += count;
    rows -= count;
  }
}

}  // namespace

bool has_bf16_products() {
  return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bf16");
}

bool has_int8_products() {
  return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vnni");
}

void panel_bf16(const PanelProduct& product, std::int64_t rows) {
  static constexpr auto tiles = bf16_tiles(std::make_index_sequence<kTileRows>());
  for_tiles(tiles, product, rows);
}

void panel_int8(const PanelProduct& product, std::int64_t rows) {
  static constexpr auto tiles = int8_tiles(std::make_index_sequence<kTileRows>());
  for_tiles(tiles, product, rows);
}

}  // namespace mha
#else
namespace mha {
bool has_bf16_products() { return false; }
bool has_int8_products() { return false; }
void panel_bf16(const PanelProduct&, std::int64_t) { throw std::logic_error("no bf16 products on this processor"); }
void panel_int8(const PanelProduct&, std::int64_t) { throw std::logic_error("no int8 products on this processor"); }
}  // namespace mha
#endif
