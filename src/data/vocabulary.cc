#include "data/vocabulary.h"

#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "data/clean_text.h"
#include "data/vocabulary_kinds.h"

namespace mha {

std::string Vocabulary::hash() const { return sha256_hex(serialized()); }

VocabularyPtr vocabulary_from_bytes(std::string bytes, const std::string& origin) {
  if (bytes.empty()) throw UserError(origin + " is empty: a SentencePiece model or a word list is needed");
  // A model holds binary floats, so it is never valid text; a word list has to be.
  return is_text(bytes) ? word_vocabulary(std::move(bytes), origin)
                        : sentencepiece_vocabulary(std::move(bytes), origin);
}

VocabularyPtr load_vocabulary(const std::filesystem::path& path) {
  return vocabulary_from_bytes(read_file(path), path.string());
}

}  // namespace mha
