#include "analysis/run_sentences.h"

#include "analysis/sentence_scores.h"
#include "base/error.h"
#include "base/hash.h"
#include "config/config.h"
#include "data/corpus.h"

namespace mha {
namespace {

/// The test split as a configuration names it; null if it does not.
json test_split(const json& config) {
  const json data = config.is_object() ? config.value("data", json()) : json();
  return data.is_object() ? data.value("test", json()) : json();
}

}  // namespace

const References& SentenceReader::references(const json& config) {
  const std::string key = dump_json(test_split(config), -1);
  if (const auto found = references_.find(key); found != references_.end()) return found->second;
  const SplitConfig split = config_from_json(config, "report.json").data.test;
  return references_[key] = {read_parallel(split, "data.test").target};
}

RunSentences SentenceReader::read(const FinishedRun& run) {
  try {
    if (!run.report.test) throw UserError("no test split was scored");
    const TestReport& test = *run.report.test;
    const References& lines = references(run.report.config);
    const BleuOptions options = scored_by(test.bleu);
    return {.stats = sentence_stats(run.folder / test.hypotheses, options, test.bleu["score"].get<double>(), lines),
            .scored_as = test.bleu.value("signature", "") + " " + sha256_lines(lines[0])};
  } catch (const UserError& error) {
    throw UserError(run.folder.string() + ": " + error.what());
  }
}

}  // namespace mha
