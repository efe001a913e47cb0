#include "base/log.h"
#include "base/stop.h"
#include "base/text.h"
#include "data/clean_text.h"
#include "data/corpus.h"
#include "data/pair_reader.h"

namespace mha {

ParallelText read_parallel(const SplitConfig& split, const std::string& split_name) {
  PairReader reader(split, split_name);
  ParallelText text;
  std::int64_t damaged = 0;
  std::string first_damaged;
  for (TextPair pair; reader.next(pair);) {
    const bool sound = is_text(pair.source);
    if (!sound && damaged++ == 0) first_damaged = reader.where();
    text.source.push_back(sound ? std::string(pair.source) : replace_invalid_utf8(pair.source));
    if (reader.has_target()) text.target.emplace_back(pair.target);
    if (text.source.size() % 65536 == 0) throw_if_stopped();
  }
  if (damaged > 0) {
    log_warning(split_name + ": " + format_count(damaged) +
                " source lines hold bytes that are not text; U+FFFD stands in for them (first: " + first_damaged + ")");
  }
  return text;
}

}  // namespace mha
