#include "analysis/paired_bleu.h"

#include <vector>

#include "analysis/sentence_scores.h"
#include "base/error.h"
#include "base/hash.h"
#include "config/config.h"
#include "data/corpus.h"
#include "metrics/bleu.h"

namespace mha {
namespace {

constexpr std::uint64_t kSeed = 12345;  // sacreBLEU's

/// The reference lines, if the files that a run names still hold what it was scored against.
std::vector<std::string> read_references(const GateSide& side) {
  if (!side.config.contains("data")) throw UserError("where the references lie is not known of " + side.origin);
  const SplitConfig split = config_from_json(side.config, side.origin).data.test;
  std::vector<std::string> lines = read_parallel(split, "data.test").target;
  const std::string& scored = side.card.test->reference_hash;  // empty: an older report; the score will tell
  if (!scored.empty() && sha256_lines(lines) != scored)
    throw UserError("the files of the references have changed since " + side.origin + " was scored");
  return lines;
}

std::vector<std::string> references_of(const GateSide& base, const GateSide& candidate) {
  try {
    return read_references(candidate);
  } catch (const UserError&) {
    return read_references(base);
  }
}

std::vector<BleuStats> stats_of(const GateSide& side, const References& references) {
  return sentence_stats(side.hypotheses, scored_by(side.bleu), side.card.figures.at("bleu").value, references);
}

}  // namespace

PairedBleu paired_bleu(const GateSide& base, const GateSide& candidate, std::int64_t resamples) {
  PairedBleu out;
  out.resamples = resamples;
  if (resamples == 0) {
    out.why_not = "no resamples were asked for";
    return out;
  }
  for (const GateSide* side : {&base, &candidate}) {
    if (!side->hypotheses.empty() && side->bleu.is_object()) continue;
    out.why_not = "the translations of " + side->origin + " are not at hand";
    return out;
  }
  try {
    const References references = {references_of(base, candidate)};
    const std::vector<BleuStats> base_stats = stats_of(base, references), stats = stats_of(candidate, references);
    const Resamples drawn = Resamples::draw(static_cast<std::size_t>(resamples), stats.size(), kSeed);
    const BleuOptions options = scored_by(candidate.bleu);
    out.test = paired_bootstrap(bootstrap_scores(base_stats, drawn, options), bootstrap_scores(stats, drawn, options));
  } catch (const UserError& error) {
    out.why_not = error.what();
  }
  return out;
}

}  // namespace mha
