#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/cell_result.h"
#include "metrics/bleu.h"

namespace mha {

/// The translations of a run, sentence by sentence.
struct RunSentences {
  std::vector<BleuStats> stats;  // one a sentence
  std::string scored_as;         // tokenisation and references; only equal ones can be compared
};

/// Reads translations of runs and the references they were scored against, each reference once.
class SentenceReader {
 public:
  /// UserError if a file is missing or cannot be read, or if the translations no longer score what the report says.
  RunSentences read(const FinishedRun& run);

 private:
  const References& references(const json& config);
  std::map<std::string, References> references_;
};

}  // namespace mha
