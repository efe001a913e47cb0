#pragma once

namespace mha {

/// Each program's own; called once by the common main, with LibTorch's pool set to `threads` (--threads=N, default: all
/// that this process may use).
void register_benchmarks(int threads);

}  // namespace mha
