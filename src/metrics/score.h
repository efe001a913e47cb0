#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"

namespace mha {

/// The release of sacreBLEU whose definitions of BLEU and chrF are followed; its signatures end with it.
inline constexpr std::string_view kSacrebleuVersion = "2.6.0";

/// Settings behind a score in sacreBLEU's order, without the version.
using SignatureFields = std::vector<std::pair<std::string, std::string>>;

/// What sacreBLEU prints of a score.
struct ScoreText {
  std::string name;     // "BLEU", "chrF2", "chrF2++"
  double score = 0;     // 0..100
  std::string verbose;  // precisions and lengths; empty for chrF
  SignatureFields fields;

  /// "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"
  std::string signature() const;
  /// "BLEU|nrefs:1|…|version:2.6.0 = 70.6 90.7/78.9/…", the score with `width` decimals.
  std::string format(int width = 2) const;
  /// sacreBLEU's JSON object and "implementation". The score is rounded to `width` decimals as sacreBLEU does, or exact
  /// without it.
  json to_json(std::optional<int> width = std::nullopt) const;
};

/// One list of lines for each reference file.
using References = std::vector<std::vector<std::string>>;

/// UserError unless there is a line, a reference, and as many lines in every reference as in the hypotheses.
void check_line_counts(const std::vector<std::string>& hypotheses, const References& references);

}  // namespace mha
