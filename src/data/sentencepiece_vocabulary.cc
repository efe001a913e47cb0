#include <sentencepiece_processor.h>

#include <algorithm>
#include <array>
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

/// A field of a message of the protobuf wire format: a number (wire type 0), or bytes (2: a message or string; 1 and 5:
/// eight and four of them).
struct ProtoField {
  std::uint64_t number = 0, wire_type = 0, value = 0;
  std::string_view bytes;
};

/// The field at `at`, behind which `at` is moved; nothing if the bytes are no such message.
std::optional<ProtoField> read_field(std::string_view bytes, std::size_t& at) {
  const auto tag = read_varint(bytes, at);
  if (!tag) return std::nullopt;
  ProtoField field{.number = *tag >> 3U, .wire_type = *tag & 7U, .value = 0, .bytes = {}};
  std::uint64_t size = 0;
  switch (field.wire_type) {
    case 0: {
      const auto value = read_varint(bytes, at);
      if (value) field.value = *value;
      return value ? std::optional(field) : std::nullopt;
    }
    case 1:
      size = 8;
      break;
    case 2: {
      const auto length = read_varint(bytes, at);
      if (!length) return std::nullopt;
      size = *length;
      break;
    }
    case 5:
      size = 4;
      break;
    default:
      return std::nullopt;
  }
  if (size > bytes.size() - at) return std::nullopt;
  field.bytes = bytes.substr(at, size);
  at += size;
  return field;
}

/// `model_type` (3) of a TrainerSpec, by name.
std::string model_type(std::string_view trainer_spec) {
  constexpr std::array<std::string_view, 5> names = {"", "unigram", "bpe", "word", "char"};
  std::uint64_t type = 1;  // the default of the format
  for (std::size_t at = 0; at < trainer_spec.size();) {
    const auto field = read_field(trainer_spec, at);
    if (!field) break;
    if (field->number == 3) type = field->value;
  }
  return std::string(names[type < names.size() ? type : 0]);
}

/// How a whole ModelProto cuts text; nothing if a part is missing. Its messages are `pieces` (1), `trainer_spec` (2)
/// and `normalizer_spec` (3), in which order SentencePiece writes them. A file cut between two messages parses without
/// complaint, so the last ones are looked for.
std::optional<std::string> type_of_whole_model(std::string_view bytes) {
  std::optional<std::string> type;
  bool normalizer = false;
  for (std::size_t at = 0; at < bytes.size();) {
    const auto field = read_field(bytes, at);
    if (!field || field->wire_type != 2) return std::nullopt;  // every field of ModelProto is a message
    if (field->number == 2) type = model_type(field->bytes);
    normalizer = normalizer || field->number == 3;
  }
  return normalizer ? type : std::nullopt;
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
    const auto type = type_of_whole_model(serialized_);
    if (!type || !model_.LoadFromSerializedProto(serialized_).ok()) {
      throw UserError(origin + " is neither a whole SentencePiece model (cut or damaged?) nor a word list in UTF-8");
    }
    type_ = *type;
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
  std::string type() const override { return type_; }
  std::string serialized() const override { return serialized_; }

 private:
  std::string serialized_, type_;
  sentencepiece::SentencePieceProcessor model_;
};

}  // namespace

VocabularyPtr sentencepiece_vocabulary(std::string model, const std::string& origin) {
  return std::make_shared<SentencePieceVocabulary>(std::move(model), origin);
}

}  // namespace mha
