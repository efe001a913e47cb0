#pragma once

#include <vector>

#include "decode/hypothesis.h"
#include "decode/search_model.h"

namespace mha {

/// Translates a batch of sources (ids with EOS): for each, in order, its n best hypotheses (at least one, at most
/// min(nbest, beam)), best first. sentence_search.h states the rules. A sentence's result depends on what the model
/// says of that sentence only; sentences that are finished leave the batch. Asks stop_signal() at every step
/// (Interrupted).
std::vector<std::vector<Hypothesis>> beam_search(SearchModel& model, const PackedTokens& sources,
                                                 const SearchOptions& options);

}  // namespace mha
