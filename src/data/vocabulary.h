#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mha {

using TokenId = std::int32_t;

/// The four special symbols have the same ids in every vocabulary.
struct SpecialIds {
  static constexpr TokenId pad = 0, unk = 1, bos = 2, eos = 3;
};

/// Text <-> ids. Immutable; safe to share between threads.
class Vocabulary {
 public:
  virtual ~Vocabulary() = default;
  virtual std::int64_t size() const = 0;
  /// Ids of the text's subwords, without BOS and EOS.
  virtual std::vector<TokenId> encode(std::string_view text) const = 0;
  /// One line of text: special symbols are left out, LF and CR become a space, invalid UTF-8 U+FFFD.
  virtual std::string decode(std::span<const TokenId> ids) const = 0;
  virtual std::string piece(TokenId id) const = 0;
  /// How it cuts text: "unigram", "bpe", "word" or "char" of SentencePiece; "file": a list of words.
  virtual std::string type() const = 0;
  /// Bytes from which load_vocabulary makes an equal vocabulary.
  virtual std::string serialized() const = 0;
  /// SHA-256 of serialized().
  std::string hash() const;
};

using VocabularyPtr = std::shared_ptr<const Vocabulary>;

/// A SentencePiece model or a word list (one word a line, ids from 4 on; told apart by content). Throws UserError if
/// the special ids are not 0, 1, 2, 3 (pad, unk, bos, eos) or the file is damaged.
VocabularyPtr load_vocabulary(const std::filesystem::path& path);
VocabularyPtr vocabulary_from_bytes(std::string bytes, const std::string& origin);

/// The vocabularies of both sides; the same object twice if joint.
struct VocabularyPair {
  VocabularyPtr source, target;
  bool joint() const { return source == target; }
};

}  // namespace mha
