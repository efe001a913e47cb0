#include "sweep/launcher.h"

#include <algorithm>
#include <string_view>

namespace mha {

std::vector<std::string> train_command(const std::string& program, const Job& job) {
  std::vector<std::string> words = {
      program, "--config", job.config, "--resume", "--wait", "--threads", std::to_string(job.threads)};
  if (job.stop_after > 0) words.insert(words.end(), {"--stop-after-updates", std::to_string(job.stop_after)});
  return words;
}

std::string shell_quoted(const std::vector<std::string>& words) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += ' ';
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) {
      out += word;
      continue;
    }
    out += '\'';
    for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    out += '\'';
  }
  return out;
}

}  // namespace mha
