#pragma once

#include "app/environment.h"
#include "data/corpus.h"
#include "data/vocabulary.h"
#include "model/transformer.h"
#include "report/run_report.h"
#include "train/progress_state.h"

namespace mha {

SplitReport split_report(const EncodedCorpus& corpus);
VocabularyReport vocabulary_report(const VocabularyPair& vocabularies);
ParameterReport parameter_report(const Transformer& model);
/// Every attention block as resolved.
std::vector<AttentionReport> attention_report(const Transformer& model);
ThroughputReport throughput_report(const ProgressState& state);

}  // namespace mha
