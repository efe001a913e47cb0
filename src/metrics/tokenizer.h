#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mha {

/// sacreBLEU's tokenisers for BLEU. k13a: mteval-v13a, the default of WMT. kNone: words between white space.
/// kChar: every code point. kZh: Chinese characters apart, the rest as 13a. kIntl: mteval-v14, Unicode punctuation.
enum class BleuTokenizer { k13a, kNone, kChar, kZh, kIntl };

/// The tokeniser called "13a", "none", "char", "zh" or "intl"; UserError for another name.
BleuTokenizer parse_bleu_tokenizer(std::string_view name);
std::string_view bleu_tokenizer_name(BleuTokenizer tokenizer);
/// All the names, the default first.
std::vector<std::string> bleu_tokenizer_names();

/// Tokens of one line as sacreBLEU 2.6.0 counts them: lower-cased if asked, trailing white space off, tokenised, split
/// at white space. The UTF-8 form of it is for display and tests.
std::vector<std::u32string> bleu_tokens(std::u32string_view line, BleuTokenizer tokenizer, bool lowercase = false);
std::vector<std::string> bleu_tokens(std::string_view line, BleuTokenizer tokenizer, bool lowercase = false);

}  // namespace mha
