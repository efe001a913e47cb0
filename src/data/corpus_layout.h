#pragma once

#include <cstdint>
#include <string_view>

namespace mha {

/// First and last bytes of a corpus file (data/corpus_file.h); the digit is the version of the format.
constexpr std::string_view kCorpusMark = "MHACORP2";
/// Length of the description, its hash, the mark.
constexpr std::size_t kCorpusTail = sizeof(std::uint64_t) + 64 + kCorpusMark.size();

}  // namespace mha
