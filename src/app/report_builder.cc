#include "app/report_builder.h"

#include <algorithm>

namespace mha {
namespace {

double ratio(double a, double b) { return b > 0 ? a / b : kUnknown; }

AttentionReport block_report(const Transformer& model, AttnPlace place, std::int64_t layer) {
  const AttentionSettings settings = attention_settings(model.spec().attention, place, layer);
  const HeadDims dims = head_dims(settings, model.spec().model.d_model);
  AttentionReport report;
  report.place = to_string(place);
  report.layer = layer;
  report.kind = settings.kind;
  const MultiHeadAttention& attention = model.attention(place, layer);
  report.path = attention.takes_packed_path() ? "packed" : attention.takes_fused_path() ? "fused" : "padded";
  report.num_heads = dims.heads;
  report.d_k = dims.d_k;
  report.d_v = dims.d_v;
  report.scale = score_scale(settings, dims.d_k);
  report.attention_dropout = settings.attention_dropout;
  report.attention_dropout_kind = to_string(settings.attention_dropout_kind);
  report.out_init_gain = settings.out_init_gain;
  report.output_projection = settings.output_projection;
  const std::string prefix = std::string(place == AttnPlace::encoder_self ? "encoder" : "decoder") + ".layers." +
                             std::to_string(layer - 1) + (place == AttnPlace::cross ? ".cross_attn." : ".self_attn.");
  for (const auto& [name, value] : model.parameters().all()) {
    if (name.starts_with(prefix)) report.num_params += value.numel();
  }
  return report;
}

}  // namespace

SplitReport split_report(const EncodedCorpus& corpus) {
  const PairCounts& counts = corpus.counts();
  SplitReport report;
  report.read = counts.read;
  report.used = counts.used;
  report.truncated = counts.truncated;
  report.repaired = counts.repaired;
  report.dropped = counts.dropped;
  report.source_tokens = counts.source_tokens;
  report.target_tokens = counts.target_tokens;
  report.source_unknown = counts.source_unknown;
  report.target_unknown = counts.target_unknown;
  report.hash = corpus.hash();
  return report;
}

VocabularyReport vocabulary_report(const VocabularyPair& vocabularies) {
  VocabularyReport report;
  const std::string source_type = vocabularies.source->type(), target_type = vocabularies.target->type();
  report.type = source_type == target_type ? source_type : source_type + " / " + target_type;
  report.joint = vocabularies.joint();
  report.source_size = vocabularies.source->size();
  report.target_size = vocabularies.target->size();
  report.source_hash = vocabularies.source->hash();
  report.target_hash = vocabularies.target->hash();
  return report;
}

ParameterReport parameter_report(const Transformer& model) {
  const auto parts = model.parameters_by_part();
  const auto part = [&](const char* name) { return parts.contains(name) ? parts.at(name) : 0; };
  ParameterReport report;
  report.num_params = model.parameters().count();
  report.embeddings = part("embeddings");
  report.positions = part("positions");
  report.output = part("output");
  report.encoder_self_attention = part("encoder_self_attention");
  report.decoder_self_attention = part("decoder_self_attention");
  report.cross_attention = part("cross_attention");
  report.encoder_feed_forward = part("encoder_feed_forward");
  report.decoder_feed_forward = part("decoder_feed_forward");
  report.norms = part("norms");
  report.other = report.num_params - report.parts();
  return report;
}

std::vector<AttentionReport> attention_report(const Transformer& model) {
  std::vector<AttentionReport> blocks;
  for (std::int64_t layer = 1; layer <= model.spec().model.encoder_layers; ++layer)
    blocks.push_back(block_report(model, AttnPlace::encoder_self, layer));
  for (const AttnPlace place : {AttnPlace::decoder_self, AttnPlace::cross}) {
    for (std::int64_t layer = 1; layer <= model.spec().model.decoder_layers; ++layer)
      blocks.push_back(block_report(model, place, layer));
  }
  return blocks;
}

ThroughputReport throughput_report(const ProgressState& state) {
  const UpdateSums& total = state.total;
  const auto updates = static_cast<double>(total.updates);
  ThroughputReport report;
  report.target_tokens = total.target_tokens;
  report.source_tokens = total.source_tokens;
  report.wps = ratio(static_cast<double>(total.target_tokens), total.seconds);
  report.source_wps = ratio(static_cast<double>(total.source_tokens), total.seconds);
  report.ups = ratio(updates, total.seconds);
  report.wpb = ratio(static_cast<double>(total.target_tokens), updates);
  report.bsz = ratio(static_cast<double>(total.sentences), updates);
  if (total.positions > 0) {
    report.padding_share =
        1 - static_cast<double>(total.target_tokens + total.source_tokens) / static_cast<double>(total.positions);
  }
  report.data_wait_share = ratio(total.wait_seconds, total.seconds);
  report.seconds.training = total.seconds;
  report.seconds.validation = state.validation_seconds;
  report.seconds.saving = state.saving_seconds;
  return report;
}

}  // namespace mha
