#include <algorithm>
#include <future>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/log.h"
#include "base/stop.h"
#include "base/text.h"
#include "data/cache_folder.h"
#include "data/corpus_file.h"
#include "data/encode.h"

namespace mha {
namespace {

/// Pairs read, encoded by all threads and written at a time.
constexpr std::size_t kChunk = 16384;

/// A split and how it is to be encoded.
struct Task {
  const SplitConfig& split;
  const std::string& name;
  const VocabularyPair& vocabularies;
  const EncodeOptions& options;
};

std::string cache_key(const Task& task) {
  PathList files = task.split.tsv;
  files.insert(files.end(), task.split.source.begin(), task.split.source.end());
  files.insert(files.end(), task.split.target.begin(), task.split.target.end());
  const json key = {{"format", "corpus 1"},
                    {"text", hash_files(files)},
                    {"tsv", !task.split.tsv.empty()},
                    {"source_vocabulary", task.vocabularies.source->hash()},
                    {"target_vocabulary", task.vocabularies.target->hash()},
                    {"training", task.options.training},
                    {"lowercase", task.options.lowercase},
                    {"max_source_length", task.options.max_source_length},
                    {"max_target_length", task.options.max_target_length},
                    {"long_pairs", task.options.training ? to_string(task.options.long_pairs) : ""}};
  return sha256_hex(key.dump());
}

/// Lines of a chunk, copied out of the reader.
struct RawPair {
  std::string source, target;
  std::string where;  // only kept where an error may name it
};

std::vector<EncodedPair> encode_chunk(const std::vector<RawPair>& chunk, const Task& task) {
  std::vector<EncodedPair> encoded(chunk.size());
  const std::int64_t wanted = task.options.threads > 0 ? task.options.threads : std::thread::hardware_concurrency();
  const auto threads = static_cast<std::size_t>(std::clamp<std::int64_t>(wanted, 1, 16));
  std::vector<std::future<void>> parts;
  for (std::size_t part = 0; part < threads; ++part) {
    parts.push_back(std::async(
        std::launch::async, [&, begin = chunk.size() * part / threads, end = chunk.size() * (part + 1) / threads] {
          for (std::size_t i = begin; i < end; ++i) {
            encoded[i] = encode_pair({chunk[i].source, chunk[i].target}, task.vocabularies, task.options);
          }
        }));
  }
  for (auto& part : parts) part.get();
  return encoded;
}

/// Whether what the model sees is not what the files say.
bool changes_lines(const PairCounts& counts) { return counts.truncated + counts.repaired > 0; }

void refuse_long_pair(const Task& task, const std::string& where) {
  throw UserError(where + " (" + task.name + "): the pair is longer than data.max_source_length " +
                  std::to_string(task.options.max_source_length) + " or data.max_target_length " +
                  std::to_string(task.options.max_target_length) +
                  " subwords; raise them, or set data.long_pairs to \"skip\" or \"truncate\"");
}

void write_chunk(const std::vector<RawPair>& chunk, const Task& task, CorpusWriter& writer, PairCounts& counts) {
  const bool refuse_long = task.options.training && task.options.long_pairs == LongPairs::error;
  const std::vector<EncodedPair> encoded = encode_chunk(chunk, task);
  for (std::size_t i = 0; i < encoded.size(); ++i) {
    if (refuse_long && encoded[i].dropped != nullptr && encoded[i].truncated) refuse_long_pair(task, chunk[i].where);
    count_pair(encoded[i], counts);
    if (encoded[i].dropped == nullptr) writer.add(encoded[i].source, encoded[i].target);
  }
}

void make_corpus(const Task& task, const std::filesystem::path& path, const std::string& key) {
  const Stopwatch watch;
  PairReader reader(task.split, task.name);
  if (task.options.training && !reader.has_target()) throw UserError(task.name + " needs `target` files to train on");
  CorpusWriter writer(path);
  PairCounts counts;
  std::vector<RawPair> chunk;
  const bool keep_where = task.options.long_pairs == LongPairs::error;
  for (TextPair pair; reader.next(pair);) {
    chunk.push_back({std::string(pair.source), std::string(pair.target), keep_where ? reader.where() : ""});
    if (chunk.size() < kChunk) continue;
    throw_if_stopped();
    write_chunk(chunk, task, writer, counts);
    chunk.clear();
  }
  write_chunk(chunk, task, writer, counts);
  if (counts.used == 0) throw UserError(task.name + " holds no usable pair: " + describe(counts));
  writer.commit(counts, key);
  const std::string summary =
      task.name + ": " + describe(counts) + " (encoded in " + format_fixed(watch.seconds(), 1) + " s)";
  changes_lines(counts) ? log_warning(summary) : log_info(summary);
}

}  // namespace

CorpusPtr open_corpus(const SplitConfig& split, const std::string& split_name, const VocabularyPair& vocabularies,
                      const EncodeOptions& options, const std::filesystem::path& cache_dir) {
  const Task task{split, split_name, vocabularies, options};
  const std::string key = cache_key(task);
  const auto path = cache_dir / ("corpus-" + key.substr(0, 20) + ".bin");
  CorpusPtr corpus;
  const auto is_there = [&] {
    if (!std::filesystem::exists(path)) return false;
    try {
      corpus = map_corpus(path);
      if (corpus->hash() != key) corpus = nullptr;
    } catch (const UserError& error) {
      log_warning(std::string(error.what()) + "; it is made anew");
      std::error_code ignored;  // the new one replaces it, or says why it cannot
      std::filesystem::remove(path, ignored);
    }
    return corpus != nullptr;
  };
  bool made = false;
  make_once(path, is_there, [&] {
    make_corpus(task, path, key);
    corpus = map_corpus(path);
    made = true;
  });
  if (!made && changes_lines(corpus->counts())) log_warning(split_name + ": " + describe(corpus->counts()));
  return corpus;
}

}  // namespace mha
