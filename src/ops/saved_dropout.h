#pragma once

#include <torch/csrc/autograd/custom_function.h>

#include "ops/dropout.h"

// What an autograd function keeps of its dropout for the backward pass.

namespace mha {

inline void save_dropout(torch::autograd::AutogradContext* ctx, const DropoutSpec& spec) {
  ctx->saved_data["p"] = spec.p;
  ctx->saved_data["key"] = static_cast<std::int64_t>(spec.key);
  ctx->saved_data["first_row"] = spec.first_row;
}

inline DropoutSpec saved_dropout(torch::autograd::AutogradContext* ctx) {
  return {.p = ctx->saved_data["p"].toDouble(),
          .key = static_cast<DropoutKey>(ctx->saved_data["key"].toInt()),
          .first_row = ctx->saved_data["first_row"].toInt()};
}

inline void save_attention_dropout(torch::autograd::AutogradContext* ctx, const AttnDropout& dropout) {
  save_dropout(ctx, {.p = dropout.p, .key = dropout.key, .first_row = dropout.first_row});
  ctx->saved_data["whole_rows"] = dropout.whole_rows;
}

inline AttnDropout saved_attention_dropout(torch::autograd::AutogradContext* ctx) {
  const DropoutSpec spec = saved_dropout(ctx);
  return {
      .p = spec.p, .whole_rows = ctx->saved_data["whole_rows"].toBool(), .key = spec.key, .first_row = spec.first_row};
}

}  // namespace mha
