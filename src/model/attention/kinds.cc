#include "model/attention/kinds.h"

#include <array>

#include "base/error.h"
#include "base/text.h"
#include "model/attention/kind_list.h"

namespace mha {
namespace {

#define MHA_ATTENTION_KIND(name, maker, summary) KindInfo{#name, summary},
constexpr std::array kind_infos = {
#include "model/attention/kinds.def"
};
#undef MHA_ATTENTION_KIND

}  // namespace

std::span<const KindInfo> attention_kinds() { return kind_infos; }

std::vector<std::string> attention_kind_names() {
  std::vector<std::string> names;
  for (const auto& kind : kind_infos) names.emplace_back(kind.name);
  return names;
}

std::unique_ptr<MultiHeadAttention> make_attention(const MultiHeadAttention::Spec& spec, const ParameterScope& scope) {
#define MHA_ATTENTION_KIND(name, maker, summary) \
  if (spec.settings.kind == #name) return maker(spec, scope);
#include "model/attention/kinds.def"
#undef MHA_ATTENTION_KIND
  const auto names = attention_kind_names();
  throw UserError("attention.kind: there is no kind \"" + spec.settings.kind + "\"; there are " + join(names, ", "));
}

}  // namespace mha
