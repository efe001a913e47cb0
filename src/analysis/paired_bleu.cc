#include "analysis/paired_bleu.h"

#include <cmath>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "config/config.h"
#include "data/corpus.h"
#include "metrics/bleu.h"

namespace mha {
namespace {

constexpr std::uint64_t kSeed = 12345;  // sacreBLEU's

/// The options behind a reported score. UserError if it does not tell them.
BleuOptions options_of(const json& bleu) {
  const auto text = [&](const char* key) {
    return bleu.contains(key) && bleu[key].is_string() ? bleu[key].get<std::string>() : "";
  };
  return {.tokenize = parse_bleu_tokenizer(text("tok")), .lowercase = text("case") == "lc"};
}

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

/// Statistics of each line; UserError if they do not add up to the score that was reported.
std::vector<BleuStats> stats_of(const GateSide& side, const References& references) {
  const BleuOptions options = options_of(side.bleu);
  const std::vector<BleuStats> stats = bleu_sentence_stats(read_lines(side.hypotheses), references, options);
  const double reported = side.card.figures.at("bleu").value;
  if (!(std::abs(bleu_from_stats(stats, options).score - reported) <= 1e-6))  // unequal if not known, too
    throw UserError(side.hypotheses.string() + " does not score as reported");
  return stats;
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
    const BleuOptions options = options_of(candidate.bleu);
    out.test = paired_bootstrap(bootstrap_scores(base_stats, drawn, options), bootstrap_scores(stats, drawn, options));
  } catch (const UserError& error) {
    out.why_not = error.what();
  }
  return out;
}

}  // namespace mha
