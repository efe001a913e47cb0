#include "analysis/sentence_scores.h"

#include <cmath>

#include "base/error.h"
#include "base/file.h"

namespace mha {

BleuOptions scored_by(const json& bleu) {
  const auto has_text = [&](const char* key) { return bleu.contains(key) && bleu[key].is_string(); };
  if (!bleu.is_object() || !bleu.contains("score") || !bleu["score"].is_number() || !has_text("tok") ||
      !has_text("case")) {
    throw UserError("no BLEU was reported");
  }
  return {.tokenize = parse_bleu_tokenizer(bleu["tok"].get<std::string>()), .lowercase = bleu["case"] == "lc"};
}

std::vector<BleuStats> sentence_stats(const std::filesystem::path& hypotheses, const BleuOptions& options,
                                      double reported, const References& references) {
  std::vector<BleuStats> stats = bleu_sentence_stats(read_lines(hypotheses), references, options);
  if (!(std::abs(bleu_from_stats(stats, options).score - reported) <= 1e-6))  // unequal if not known, too
    throw UserError(hypotheses.string() + " does not score as reported");
  return stats;
}

}  // namespace mha
