#include <algorithm>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/log.h"
#include "base/random.h"
#include "base/stop.h"
#include "base/text.h"
#include "data/cache_folder.h"
#include "data/clean_text.h"
#include "data/corpus.h"
#include "data/pair_reader.h"
#include "data/train_sentencepiece.h"

namespace mha {
namespace {

/// A vocabulary is learnt from at most so many pairs, a sample that depends on the text alone: more change the subwords
/// hardly, but cost memory and minutes.
constexpr std::uint64_t kMaxPairs = 1'000'000;
constexpr std::uint64_t kSampleKey = 0x766f636162756c61ULL;

enum class Sides { source, target, both };

struct TrainingText {
  const DataConfig& data;
  Sides sides;
};

std::uint64_t count_pairs(const SplitConfig& train) {
  PairReader reader(train, "data.train");
  std::uint64_t pairs = 0;
  for (TextPair pair; reader.next(pair);) {
    if (++pairs % 65536 == 0) throw_if_stopped();
  }
  return pairs;
}

/// The clean lines of the sampled pairs, source before target; lines that are no text or blank are left out.
class SampledLines {
 public:
  SampledLines(const TrainingText& text, std::uint64_t pairs)
      : text_(text), reader_(text.data.train, "data.train"), order_(pairs, kSampleKey) {}

  bool operator()(std::string& line) {
    for (;;) {
      if (waiting_) {
        line = *std::exchange(waiting_, std::nullopt);
        return true;
      }
      TextPair pair;
      if (!reader_.next(pair)) return false;
      if (order_.size() > kMaxPairs && order_(index_++) >= kMaxPairs) continue;
      std::optional<std::string> first = text_.sides == Sides::target ? std::nullopt : usable(pair.source);
      std::optional<std::string> second = text_.sides == Sides::source ? std::nullopt : usable(pair.target);
      if (!first) std::swap(first, second);
      if (!first) continue;
      line = *first;
      waiting_ = std::move(second);
      return true;
    }
  }

 private:
  std::optional<std::string> usable(std::string_view line) const {
    if (is_blank(line) || !is_text(line)) return std::nullopt;
    return clean_text(text_.data.lowercase ? lower_text(line) : std::string(line));
  }

  TrainingText text_;
  PairReader reader_;
  IndexPermutation order_;
  std::uint64_t index_ = 0;
  std::optional<std::string> waiting_;
};

std::string files_hash(const SplitConfig& train, Sides sides) {
  PathList files = train.tsv;
  if (sides != Sides::target) files.insert(files.end(), train.source.begin(), train.source.end());
  if (sides != Sides::source) files.insert(files.end(), train.target.begin(), train.target.end());
  return hash_files(files);
}

std::string cache_key(const VocabConfig& config, const TrainingText& text) {
  const json key = {{"format", "vocabulary 1"},
                    {"text", files_hash(text.data.train, text.sides)},
                    {"sides", static_cast<int>(text.sides)},
                    {"lowercase", text.data.lowercase},
                    {"type", to_string(config.type)},
                    {"size", config.size},
                    {"character_coverage", config.character_coverage},
                    {"byte_fallback", config.byte_fallback}};
  return sha256_hex(key.dump());
}

const char* side_name(Sides sides) {
  return sides == Sides::both ? "both sides" : sides == Sides::source ? "the source side" : "the target side";
}

std::string train_bytes(const VocabConfig& config, const TrainingText& text) {
  const std::uint64_t pairs = count_pairs(text.data.train);  // finds sides of unequal length before minutes of training
  SampledLines lines(text, pairs);
  if (std::string line; !SampledLines(text, pairs)(line)) {
    throw UserError("data.train holds no text to train a vocabulary for " + std::string(side_name(text.sides)) +
                    " on (" + format_count(static_cast<std::int64_t>(pairs)) + " pairs, all blank or not UTF-8)");
  }
  const Stopwatch watch;
  log_info("training a " + to_string(config.type) + " vocabulary for " + side_name(text.sides) + " on " +
           format_count(static_cast<std::int64_t>(std::min(pairs, kMaxPairs))) + " pairs" +
           (pairs > kMaxPairs ? ", a sample" : ""));
  std::string bytes = train_sentencepiece(config, [&lines](std::string& line) { return lines(line); });
  log_info("vocabulary trained in " + format_fixed(watch.seconds(), 1) + " s");
  return bytes;
}

VocabularyPtr trained(const VocabConfig& config, const TrainingText& text, const std::filesystem::path& cache_dir) {
  const std::string name = "vocab-" + cache_key(config, text).substr(0, 20);
  const auto path = cache_dir / (name + ".model"), hash_path = cache_dir / ("hash-" + name + ".sha256");
  VocabularyPtr vocabulary;
  const auto is_there = [&] {
    if (!std::filesystem::exists(path)) return false;
    try {
      VocabularyPtr there = load_vocabulary(path);
      if (!std::filesystem::exists(hash_path) || read_file(hash_path) != there->hash())
        throw UserError("the cache file " + path.string() + " is damaged (its content does not match its hash)");
      vocabulary = std::move(there);
    } catch (const UserError& error) {
      log_warning(std::string(error.what()) + "; it is made anew");
      std::error_code ignored;  // the new one replaces it, or says why it cannot
      std::filesystem::remove(path, ignored);
    }
    return vocabulary != nullptr;
  };
  make_once(path, is_there, [&] {
    std::string bytes = train_bytes(config, text);
    write_file(hash_path, sha256_hex(bytes));
    write_file(path, bytes);
    vocabulary = vocabulary_from_bytes(std::move(bytes), path.string());
  });
  if (vocabulary->size() < config.size) {
    const std::string message = "vocab.size is " + std::to_string(config.size) + ", but the text of " +
                                side_name(text.sides) + " gives a " + to_string(config.type) +
                                " vocabulary of at most " + std::to_string(vocabulary->size());
    if (config.hard_limit)
      throw UserError(message + "; lower vocab.size, or set vocab.hard_limit to false to use that");
    log_warning(message + ", which is used");
  }
  return vocabulary;
}

}  // namespace

VocabularyPair make_vocabularies(const VocabConfig& config, const DataConfig& data,
                                 const std::filesystem::path& cache_dir) {
  if (!config.model.empty()) {
    const VocabularyPtr both = load_vocabulary(config.model);
    return {both, both};
  }
  VocabularyPair pair;
  if (!config.source_model.empty()) pair.source = load_vocabulary(config.source_model);
  if (!config.target_model.empty()) pair.target = load_vocabulary(config.target_model);
  if (pair.source && pair.target) {
    if (pair.source->serialized() == pair.target->serialized()) pair.target = pair.source;
    return pair;
  }
  if (config.type == VocabType::file) {
    throw UserError(
        "vocab.type is \"file\": give the word list in vocab.model, or both vocab.source_model and vocab.target_model");
  }
  if (data.train.tsv.empty() && data.train.target.empty())
    throw UserError("data.train needs source and target to train a vocabulary on");
  if (config.joint && !pair.source && !pair.target) {
    pair.source = pair.target = trained(config, {data, Sides::both}, cache_dir);
    return pair;
  }
  if (!pair.source) pair.source = trained(config, {data, Sides::source}, cache_dir);
  if (!pair.target) pair.target = trained(config, {data, Sides::target}, cache_dir);
  return pair;
}

}  // namespace mha
