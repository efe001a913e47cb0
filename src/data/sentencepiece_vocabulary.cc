#include <sentencepiece_processor.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "data/clean_text.h"
#include "data/vocabulary_kinds.h"

namespace mha {
namespace {

/// A base-128 number of the protobuf wire format at `at`; moves `at` behind it.
std::optional<std::uint64_t> read_varint(std::string_view bytes, std::size_t& at) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && at < bytes.size(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes[at++]);
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

/// Whether the bytes are a whole ModelProto: its messages `pieces` (1), `trainer_spec` (2) and `normalizer_spec` (3),
/// in which order SentencePiece writes them. A file cut between two messages parses without complaint, so the last ones
/// are looked for.
bool is_whole_model(std::string_view bytes) {
  bool trainer = false, normalizer = false;
  for (std::size_t at = 0; at < bytes.size();) {
    const auto tag = read_varint(bytes, at);
    if (!tag || (*tag & 7U) != 2) return false;  // every field of ModelProto is a message: length, then bytes
    const auto length = read_varint(bytes, at);
    if (!length || *length > bytes.size() - at) return false;
    at += *length;
    trainer = trainer || *tag >> 3U == 2;
    normalizer = normalizer || *tag >> 3U == 3;
  }
  return trainer && normalizer;
}

void check_special_ids(const sentencepiece::SentencePieceProcessor& model, const std::string& origin) {
  const auto as_text = [](int pad, int unk, int bos, int eos) {
    return "pad " + std::to_string(pad) + ", unk " + std::to_string(unk) + ", bos " + std::to_string(bos) + ", eos " +
           std::to_string(eos);
  };
  const std::string found = as_text(model.pad_id(), model.unk_id(), model.bos_id(), model.eos_id());
  const std::string needed = as_text(SpecialIds::pad, SpecialIds::unk, SpecialIds::bos, SpecialIds::eos);
  if (found == needed) return;
  throw UserError(
      "the SentencePiece model " + origin + " has the ids " + found + " (-1: none); needed are " + needed +
      ". Train it with spm_train --pad_id=0 --unk_id=1 --bos_id=2 --eos_id=3, or leave the model out of the "
      "configuration to have one trained");
}

class SentencePieceVocabulary final : public Vocabulary {
 public:
  SentencePieceVocabulary(std::string model, const std::string& origin) : serialized_(std::move(model)) {
    if (!is_whole_model(serialized_) || !model_.LoadFromSerializedProto(serialized_).ok()) {
      throw UserError(origin + " is neither a whole SentencePiece model (cut or damaged?) nor a word list in UTF-8");
    }
    check_special_ids(model_, origin);
  }

  std::int64_t size() const override { return model_.GetPieceSize(); }

  std::vector<TokenId> encode(std::string_view text) const override {
    std::vector<TokenId> ids;
    if (const auto status = model_.Encode(clean_text(text), &ids); !status.ok()) {
      throw std::runtime_error("SentencePiece cannot encode a line: " + status.ToString());
    }
    return ids;
  }

  std::string decode(std::span<const TokenId> ids) const override {
    std::vector<int> pieces;
    for (const TokenId id : ids) {
      if (id < 0 || id >= size()) throw std::out_of_range("no subword has the id " + std::to_string(id));
      if (id != SpecialIds::pad && id != SpecialIds::bos && id != SpecialIds::eos) pieces.push_back(id);
    }
    std::string text;
    if (const auto status = model_.Decode(pieces, &text); !status.ok()) {
      throw std::runtime_error("SentencePiece cannot decode: " + status.ToString());
    }
    // Byte pieces can spell anything; a hypothesis must stay one line of text.
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r' || c == '\0'; }, ' ');
    return replace_invalid_utf8(text);
  }

  std::string piece(TokenId id) const override { return model_.IdToPiece(id); }
  std::string serialized() const override { return serialized_; }

 private:
  std::string serialized_;
  sentencepiece::SentencePieceProcessor model_;
};

}  // namespace

VocabularyPtr sentencepiece_vocabulary(std::string model, const std::string& origin) {
  return std::make_shared<SentencePieceVocabulary>(std::move(model), origin);
}

}  // namespace mha
