#pragma once

#include <span>
#include <string>
#include <vector>

#include "data/corpus.h"
#include "data/pair_reader.h"

namespace mha {

/// A pair as it goes into the corpus, each side ending with EOS; or, if `dropped` is not null, only why it does not.
struct EncodedPair {
  std::vector<TokenId> source, target;
  const char* dropped = nullptr;
  bool truncated = false, repaired = false;
};

EncodedPair encode_pair(const TextPair& text, const VocabularyPair& vocabularies, const EncodeOptions& options);

/// Adds the pair to the counts.
void count_pair(const EncodedPair& pair, PairCounts& counts);

/// "5 pairs read, 3 used; dropped: 2 blank"
std::string describe(const PairCounts& counts);

}  // namespace mha
