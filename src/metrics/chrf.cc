#include "metrics/chrf.h"

#include <algorithm>
#include <utility>

#include "metrics/ngrams.h"
#include "metrics/unicode.h"

namespace mha {
namespace {

bool is_ascii_punctuation(char32_t c) {
  return (c >= U'!' && c <= U'/') || (c >= U':' && c <= U'@') || (c >= U'[' && c <= U'`') || (c >= U'{' && c <= U'~');
}

/// Words with one ASCII punctuation mark split off: the last one, or else the first ("(hi)" gives "(hi" and ")").
std::vector<std::u32string> split_punctuation(const std::vector<std::u32string>& words) {
  std::vector<std::u32string> out;
  for (const auto& word : words) {
    if (word.size() > 1 && is_ascii_punctuation(word.back())) {
      out.push_back(word.substr(0, word.size() - 1));
      out.emplace_back(1, word.back());
    } else if (word.size() > 1 && is_ascii_punctuation(word.front())) {
      out.emplace_back(1, word.front());
      out.push_back(word.substr(1));
    } else {
      out.push_back(word);
    }
  }
  return out;
}

/// The n-grams of a line: characters without white space of orders 1.., then words of orders 1...
std::vector<NgramCounts> line_ngrams(const std::string& line, const ChrfOptions& options) {
  std::u32string text = to_utf32(line);
  if (options.lowercase) text = to_lower(text);
  const std::vector<std::u32string> words = split_words(text);
  std::u32string characters;
  for (const auto& word : words) characters += word;

  std::vector<NgramCounts> ngrams;
  for (std::size_t n = 1; n <= options.char_order; ++n) ngrams.push_back(count_char_ngrams(characters, n));
  const std::vector<std::u32string> pieces = split_punctuation(words);
  for (std::size_t n = 1; n <= options.word_order; ++n) ngrams.push_back(count_word_ngrams(pieces, n));
  return ngrams;
}

ChrfStats compare(const std::vector<NgramCounts>& hypothesis, const std::vector<NgramCounts>& reference) {
  ChrfStats stats(hypothesis.size());
  for (std::size_t i = 0; i < stats.size(); ++i) {
    // Hypothesis n-grams of an order that the reference lacks do not count.
    stats[i] = {.hyp = reference[i].empty() ? 0 : ngram_total(hypothesis[i]),
                .ref = ngram_total(reference[i]),
                .match = ngram_matches(hypothesis[i], reference[i])};
  }
  return stats;
}

/// F_beta of precision and recall, each averaged over the orders that both sides have; 0..100.
double f_score(const ChrfStats& stats, int beta) {
  double precision = 0.0, recall = 0.0, orders = 0.0;
  for (const auto& [hyp, ref, match] : stats) {
    if (hyp == 0 || ref == 0) continue;
    precision += static_cast<double>(match) / static_cast<double>(hyp);
    recall += static_cast<double>(match) / static_cast<double>(ref);
    orders += 1.0;
  }
  if (precision + recall == 0.0) return 0.0;
  precision /= orders;
  recall /= orders;
  const double factor = static_cast<double>(beta) * beta;
  return 100.0 * (1.0 + factor) * precision * recall / (factor * precision + recall);
}

ScoreText describe(double score, const ChrfOptions& options, std::size_t reference_count) {
  return {.name = "chrF" + std::to_string(options.beta) + std::string(options.word_order, '+'),
          .score = score,
          .verbose = "",
          .fields = {{"nrefs", std::to_string(reference_count)},
                     {"case", options.lowercase ? "lc" : "mixed"},
                     {"eff", "yes"},
                     {"nc", std::to_string(options.char_order)},
                     {"nw", std::to_string(options.word_order)},
                     {"space", "no"}}};
}

}  // namespace

std::vector<ChrfStats> chrf_sentence_stats(const std::vector<std::string>& hypotheses, const References& references,
                                           const ChrfOptions& options) {
  check_line_counts(hypotheses, references);
  std::vector<ChrfStats> all;
  all.reserve(hypotheses.size());
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    const std::vector<NgramCounts> hypothesis = line_ngrams(hypotheses[i], options);
    ChrfStats best;
    double best_score = -1.0;
    for (const auto& reference : references) {
      ChrfStats stats = compare(hypothesis, line_ngrams(reference[i], options));
      const double score = f_score(stats, options.beta);
      if (score > best_score) {  // of equal references the first
        best_score = score;
        best = std::move(stats);
      }
    }
    all.push_back(std::move(best));
  }
  return all;
}

ChrfScore chrf_from_stats(std::span<const ChrfStats> sentences, const ChrfOptions& options,
                          std::size_t reference_count) {
  ChrfStats sum(options.char_order + options.word_order);
  for (const auto& sentence : sentences) {
    for (std::size_t i = 0; i < sum.size(); ++i) {
      sum[i].hyp += sentence[i].hyp;
      sum[i].ref += sentence[i].ref;
      sum[i].match += sentence[i].match;
    }
  }
  const double score = f_score(sum, options.beta);
  return {.score = score, .text = describe(score, options, reference_count)};
}

ChrfScore corpus_chrf(const std::vector<std::string>& hypotheses, const References& references,
                      const ChrfOptions& options) {
  return chrf_from_stats(chrf_sentence_stats(hypotheses, references, options), options, references.size());
}

}  // namespace mha
