#include "config/reader.h"

#include "base/error.h"

namespace mha {

std::int64_t layer_number(const std::string& key) {
  constexpr std::size_t most_digits = 4;
  const bool digits = std::ranges::all_of(key, [](char c) { return c >= '0' && c <= '9'; });
  if (!digits || key.empty() || key.size() > most_digits || key.front() == '0') return 0;
  return std::stoll(key);
}

void throw_problems(const Problems& problems, const std::string& what) {
  if (problems.empty()) return;
  const std::string count = problems.size() == 1 ? "1 problem" : std::to_string(problems.size()) + " problems";
  std::string text = what + ": " + count + " in the configuration";
  for (const Problem& problem : problems) {
    text += "\n  " + problem.path + " (" + problem.origin + "): " + problem.message;
    if (!problem.suggestion.empty()) text += "; " + problem.suggestion;
  }
  throw UserError(text);
}

}  // namespace mha
