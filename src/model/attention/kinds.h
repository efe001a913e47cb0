#pragma once

#include <memory>
#include <string_view>

#include "model/attention/multi_head.h"

namespace mha {

#define MHA_ATTENTION_KIND(name, maker, summary) \
  std::unique_ptr<MultiHeadAttention> maker(const MultiHeadAttention::Spec& spec, const ParameterScope& scope);
#include "model/attention/kinds.def"
#undef MHA_ATTENTION_KIND

/// Builds the kind that spec.settings.kind names; UserError if there is none.
std::unique_ptr<MultiHeadAttention> make_attention(const MultiHeadAttention::Spec& spec, const ParameterScope& scope);

}  // namespace mha
