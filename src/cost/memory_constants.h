#pragma once

namespace mha {

inline constexpr double kMebibyte = 1 << 20;

/// What a run holds before it has a model: the program with LibTorch and its threads, vocabulary and corpus.
inline constexpr double kProgramBytes = 145 * kMebibyte;
inline constexpr double kBf16Bytes = 8 * kMebibyte;
/// What lies unused between tensors, as a share of them.
inline constexpr double kUnusedShare = 0.05;

}  // namespace mha
