#pragma once

namespace mha {

/// What a run holds before it has a model: the program with LibTorch, its threads, the vocabulary.
inline constexpr double kProgramBytes = 145.0 * (1 << 20);

}  // namespace mha
