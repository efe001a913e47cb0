#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "data/clean_text.h"
#include "data/vocabulary_kinds.h"

namespace mha {
namespace {

constexpr std::array<std::string_view, 4> kSpecials = {"<pad>", "<unk>", "<s>", "</s>"};  // in the order of SpecialIds

class WordVocabulary final : public Vocabulary {
 public:
  WordVocabulary(std::string list, const std::string& origin) : list_(std::move(list)) {
    words_.assign(kSpecials.begin(), kSpecials.end());
    std::string_view rest = list_;
    if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
    for (std::int64_t line = 1; !rest.empty(); ++line) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      std::string_view word = rest.substr(0, end);
      if (word.ends_with('\r')) word.remove_suffix(1);
      add(word, origin + ", line " + std::to_string(line));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }

  std::int64_t size() const override { return static_cast<std::int64_t>(words_.size()); }

  std::vector<TokenId> encode(std::string_view text) const override {
    const std::string clean = clean_text(text);
    std::vector<TokenId> ids;
    for (const std::string_view word : split_unicode_space(clean)) {
      const auto found = ids_.find(std::string(word));
      ids.push_back(found == ids_.end() ? SpecialIds::unk : found->second);
    }
    return ids;
  }

  std::string decode(std::span<const TokenId> ids) const override {
    std::string text;
    for (const TokenId id : ids) {
      if (id == SpecialIds::pad || id == SpecialIds::bos || id == SpecialIds::eos) continue;
      if (!text.empty()) text += ' ';
      text += piece(id);
    }
    return text;
  }

  std::string piece(TokenId id) const override { return words_.at(static_cast<std::size_t>(id)); }
  std::string type() const override { return "file"; }
  std::string serialized() const override { return list_; }

 private:
  void add(std::string_view word, const std::string& where) {
    const auto tokens = split_unicode_space(word);
    if (tokens.empty()) throw UserError(where + ": an empty word in a word list; remove the line");
    if (tokens.size() > 1 || tokens.front() != word) {
      throw UserError(where + ": a word cannot hold white space (keep the words alone, one a line, without counts)");
    }
    if (std::find(kSpecials.begin(), kSpecials.end(), word) != kSpecials.end()) {
      throw UserError(where + ": " + std::string(word) +
                      " is a special symbol, which every vocabulary has; remove the line");
    }
    if (!ids_.emplace(word, static_cast<TokenId>(words_.size())).second) {
      throw UserError(where + ": the word \"" + std::string(word) + "\" stands in the list already; remove the line");
    }
    words_.emplace_back(word);
  }

  std::string list_;
  std::vector<std::string> words_;
  std::unordered_map<std::string, TokenId> ids_;  // without the specials: "<s>" in a text is an unknown word
};

}  // namespace

VocabularyPtr word_vocabulary(std::string list, const std::string& origin) {
  return std::make_shared<WordVocabulary>(std::move(list), origin);
}

}  // namespace mha
