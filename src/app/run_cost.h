#pragma once

#include <optional>

#include "app/environment.h"
#include "config/config.h"
#include "cost/duration.h"
#include "cost/run_shape.h"
#include "data/corpus.h"
#include "data/vocabulary.h"
#include "report/sweep_file.h"

namespace mha {

/// planned_shape() on this machine: its precision and threads, and the sizes of vocabularies that the configuration
/// names files of.
RunShape shape_on(const RunConfig& config, const Environment& environment);
/// As far as vocabularies and training text tell.
RunShape shape_of(const Environment& environment, const VocabularyPair& vocabularies, const EncodedCorpus& train);
/// The shape that a run really has: makes vocabularies and encoded corpora as the run would, or finds them in the
/// cache. UserError if there are no such files.
RunShape shape_from_data(const LoadedConfig& loaded, const Environment& environment);

/// The bill of a run in the numbers that a sweep keeps; seconds are unknown without a rate.
RunCost run_cost(const RunConfig& config, const RunShape& shape, const std::optional<TrainingRate>& rate);

}  // namespace mha
