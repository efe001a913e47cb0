#include "eval/scoring.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>

#include <limits>
#include <numeric>

#include "base/clock.h"
#include "base/log.h"
#include "base/stop.h"
#include "data/batch.h"
#include "decode/search_models.h"
#include "decode/translator.h"

namespace mha {
namespace {

/// Log-probability of every pair of a corpus, in its order.
std::vector<double> log_probs_by_pair(const Transformer& model, const EncodedCorpus& corpus, std::int64_t max_tokens) {
  const at::NoGradGuard no_grad;
  std::vector<double> sums(static_cast<std::size_t>(corpus.size()), 0.0);
  for (const auto& pairs : sorted_batches(corpus, max_tokens)) {
    throw_if_stopped();
    const Batch batch = make_batch(corpus, pairs);
    const BatchTensors tensors =
        batch_tensors({batch.source.tokens, batch.source.offsets}, {batch.target_in.tokens, batch.target_in.offsets},
                      batch.target_out, model.device());
    const at::Tensor scores = model.token_log_probs(tensors, ForwardContext{}).cpu().contiguous();
    const float* score = scores.const_data_ptr<float>();
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const std::int64_t length = batch.target_in.length(static_cast<std::int64_t>(i));
      sums[static_cast<std::size_t>(pairs[i])] = std::accumulate(score, score + length, 0.0);
      score += length;
    }
  }
  return sums;
}

}  // namespace

double CorpusLoss::mean() const {
  return tokens > 0 ? nll / static_cast<double>(tokens) : std::numeric_limits<double>::quiet_NaN();
}

CorpusLoss corpus_loss(const Transformer& model, const EncodedCorpus& corpus, std::int64_t max_tokens) {
  const std::vector<double> sums = log_probs_by_pair(model, corpus, max_tokens);
  return {-std::accumulate(sums.begin(), sums.end(), 0.0), corpus.counts().target_tokens};
}

std::vector<double> pair_log_probs(const TextModel& text_model,
                                   const std::vector<std::pair<std::string, std::string>>& pairs,
                                   std::int64_t max_tokens) {
  EncodeOptions target_encoding = text_model.encoding;
  target_encoding.max_source_length = text_model.encoding.max_target_length;
  std::vector<std::pair<std::vector<TokenId>, std::vector<TokenId>>> encoded;
  encoded.reserve(pairs.size());
  std::int64_t cut = 0;
  for (const auto& [source, target] : pairs) {
    EncodedLine to_read = encode_source_line(source, *text_model.vocabularies.source, text_model.encoding);
    EncodedLine to_say = encode_source_line(target, *text_model.vocabularies.target, target_encoding);
    cut += to_read.truncated || to_say.truncated ? 1 : 0;
    encoded.emplace_back(std::move(to_read.ids), std::move(to_say.ids));
  }
  if (cut > 0) {
    log_warning(std::to_string(cut) + " of " + std::to_string(pairs.size()) +
                " sentences to be compared are too long and were cut (data.max_source_length, data.max_target_length): "
                "a difference behind the cut is not seen");
  }
  return log_probs_by_pair(text_model.model, *corpus_of_pairs(std::move(encoded)), max_tokens);
}

TranslatedLines translate_lines(const TextModel& text_model, const std::vector<std::string>& sources,
                                const DecodeConfig& search) {
  const Stopwatch watch;
  const SearchModels models = make_search_models(text_model.model, search, at::get_num_threads());
  Translator translator(models.workers(), text_model.vocabularies, search, text_model.encoding);
  TranslatedLines out{.lines = {}, .path = models.path, .precision = models.precision};
  out.lines.reserve(sources.size());
  for (const Translation& translation : translator.translate(sources)) out.lines.push_back(translation.text());
  out.seconds = watch.seconds();
  return out;
}

}  // namespace mha
