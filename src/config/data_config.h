#pragma once

#include <array>
#include <filesystem>

#include "config/fields.h"

namespace mha {

using PathList = std::vector<std::filesystem::path>;

struct SplitConfig {
  PathList source, target, tsv;
  std::filesystem::path annotations;

  template <class V>
  static void fields(V& v) {
    v(&SplitConfig::source, "source", any(),
      "Source text files, plain or .gz, one sentence a line; several are read one after another.");
    v(&SplitConfig::target, "target", any(), "Target text files, line by line the translations of `source`.");
    v(&SplitConfig::tsv, "tsv", any(),
      "Files with source and target on one line, separated by a tab; instead of `source` and `target`.");
    v(&SplitConfig::annotations, "annotations", any(),
      "JSON lines that mark the phenomena of each pair (data/README.md); for accuracy per phenomenon.");
  }
  bool given() const { return !source.empty() || !target.empty() || !tsv.empty(); }
  bool operator==(const SplitConfig&) const = default;
};

enum class LongPairs { skip, truncate, error };
constexpr std::array<std::string_view, 3> enum_names(LongPairs) { return {"skip", "truncate", "error"}; }

enum class Batching { bucketed, random };
constexpr std::array<std::string_view, 2> enum_names(Batching) { return {"bucketed", "random"}; }

struct DataConfig {
  SplitConfig train, valid, test;
  bool lowercase = false;
  std::int64_t max_tokens = 4096;
  std::int64_t max_sentences = 0;
  Batching batching = Batching::bucketed;
  std::int64_t max_source_length = 250;
  std::int64_t max_target_length = 250;
  LongPairs long_pairs = LongPairs::skip;
  std::string cache_dir;

  template <class V>
  static void fields(V& v) {
    v(&DataConfig::train, "train", any(), "The pairs to train on.");
    v(&DataConfig::valid, "valid", any(), "The pairs for validation during training.");
    v(&DataConfig::test, "test", any(), "The pairs scored once, at the end.");
    v(&DataConfig::lowercase, "lowercase", any(),
      "Lower-case both sides before encoding. References for BLEU stay as they are.");
    v(&DataConfig::max_tokens, "max_tokens", at_least(1),
      "Size of a batch. Bucketed: sentences times the longest of them (the longer side, EOS counted) stays within it,"
      " as in fairseq. Random: the sum over sentences of the longer side's tokens stays within it.");
    v(&DataConfig::max_sentences, "max_sentences", at_least(0), "Most sentences in a batch; 0: no limit.");
    v(&DataConfig::batching, "batching", any(),
      "`bucketed`: sentences of similar length together, little padding. `random`: any lengths together.");
    v(&DataConfig::max_source_length, "max_source_length", at_least(2), "Longest source in subwords, EOS counted.");
    v(&DataConfig::max_target_length, "max_target_length", at_least(2), "Longest target in subwords, EOS counted.");
    v(&DataConfig::long_pairs, "long_pairs", any(),
      "What happens to a training pair that is longer: `skip` (and count), `truncate` (keep EOS) or `error`. "
      "Validation, test and translation always cut the longer side and say so; the reference text for BLEU is never "
      "cut.");
    v(&DataConfig::cache_dir, "cache_dir", any(),
      "Folder for vocabularies and encoded corpora, named by content and shared by runs; empty: a folder `cache` "
      "beside the run folder.");
  }
  bool operator==(const DataConfig&) const = default;
};

enum class VocabType { unigram, bpe, character, word, file };
constexpr std::array<std::string_view, 5> enum_names(VocabType) { return {"unigram", "bpe", "char", "word", "file"}; }

struct VocabConfig {
  VocabType type = VocabType::bpe;
  std::int64_t size = 8000;
  bool joint = true;
  double character_coverage = 1.0;
  bool byte_fallback = false;
  bool hard_limit = false;
  std::filesystem::path model = {}, source_model = {}, target_model = {};

  template <class V>
  static void fields(V& v) {
    v(&VocabConfig::type, "type", any(),
      "How text is cut: SentencePiece `unigram`, `bpe`, `char` or `word`, trained on the training text at first use "
      "(of more than 1,000,000 pairs, on a fixed sample of that many); or `file`: whole words separated by spaces, "
      "with the vocabulary in the given file. Text is not normalised, but for white space: any run of it counts as "
      "one space.");
    v(&VocabConfig::size, "size", at_least(4), "Number of subwords, the four special ones counted.");
    v(&VocabConfig::joint, "joint", any(), "One vocabulary for both sides, or one each.");
    v(&VocabConfig::character_coverage, "character_coverage", range(0.9, 1.0),
      "Share of characters that SentencePiece must cover.");
    v(&VocabConfig::byte_fallback, "byte_fallback", any(), "Cut unknown characters into bytes.");
    v(&VocabConfig::hard_limit, "hard_limit", any(),
      "Refuse a `size` that the training text is too small for. Otherwise the largest possible size is used, and "
      "said.");
    v(&VocabConfig::model, "model", any(),
      "A SentencePiece .model with the ids pad 0, unk 1, bos 2, eos 3 (or, for `file`, a list of words, one a line) "
      "for both sides; nothing is trained.");
    v(&VocabConfig::source_model, "source_model", any(), "The same for the source side alone.");
    v(&VocabConfig::target_model, "target_model", any(), "The same for the target side alone.");
  }
  bool operator==(const VocabConfig&) const = default;
};

}  // namespace mha
