#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/config.h"
#include "eval/scoring.h"
#include "metrics/bleu.h"
#include "report/run_report.h"

namespace mha {

/// A split scored in full.
struct SplitScore {
  TestReport report;
  std::vector<PhenomenonReport> phenomena;
  std::vector<std::string> sources, references, hypotheses;
};

struct SplitToScore {
  const SplitConfig& split;
  std::string name;  // "test", for messages
};

BleuOptions bleu_options(const ScoreConfig& config);

/// Loss, translations, BLEU, chrF and chrF++ against the raw reference lines, and the accuracy per phenomenon if the
/// split has annotations. A split without targets is an error.
SplitScore score_split(const TextModel& text_model, const RunConfig& config, const SplitToScore& what,
                       const std::filesystem::path& cache_dir);

/// The translations as a file has them: a line each.
std::string hypotheses_text(const SplitScore& score);

/// {"test": …, "phenomena": […]} with the fields of the report.
json score_to_json(const SplitScore& score);
/// The same as a short text table.
std::string score_table(const SplitScore& score);

/// Encoded corpora and vocabularies of a configuration lie here: beside the run folder, however that is named.
std::filesystem::path cache_folder(const RunConfig& config, const std::filesystem::path& run_folder);

/// Tokens of a batch (sentences times longest) when only losses are wanted.
inline constexpr std::int64_t kScoringTokens = 4096;

}  // namespace mha
