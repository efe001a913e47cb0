#include "sweep/hold.h"

#include <cmath>

#include "base/error.h"
#include "base/text.h"

namespace mha {
namespace {

constexpr double kFarOff = 0.05;  // of what is wanted: no longer "held fixed"

std::string option(Hold hold) { return "--hold " + to_string(hold); }

/// The overrides of single places must leave the head dimensions alone, or there is no one h * d_k.
void check_one_budget(const RunConfig& base) {
  const json attention = config_to_json(base)["attention"];
  const auto refuse = [](const std::string& path) {
    throw UserError(option(Hold::budget) + " needs the same heads everywhere, but the base configuration sets " + path +
                    "; take it out, or hold params");
  };
  for (const std::string_view place : enum_names(AttnPlace{})) {
    const std::string path = "attention." + std::string(place);
    const json& patch = attention[std::string(place)];
    const json layers = patch.value("layers", json::object());
    for (const char* key : {"num_heads", "d_k", "d_v"}) {
      if (patch.contains(key)) refuse(path + "." + key);
      for (const auto& [layer, settings] : layers.items()) {
        if (settings.contains(key)) refuse(path + ".layers." + layer + "." + key);
      }
    }
  }
  if (base.attention.d_v) refuse("attention.d_v");
}

/// Whether a key changes the head dimensions of single places or layers.
bool sets_heads_of_a_place(const Setting& setting) {
  const auto keys = split(setting.path, '.');
  if (keys.front() != "attention" || keys.size() < 2) return false;
  const std::string& last = keys.back();
  const bool heads = last == "num_heads" || last == "d_k" || last == "d_v";
  return setting.value.is_object() || (keys.size() > 2 && heads);
}

}  // namespace

Holder::Holder(Hold hold, const RunConfig& base, const PlanFunctions& functions) : hold_(hold), functions_(functions) {
  if (hold == Hold::budget) {
    check_one_budget(base);
    const auto& d_k = base.attention.d_k;
    rounded_up_ = d_k && d_k->is_word();
    budget_ = d_k && !rounded_up_ ? base.attention.num_heads * d_k->value : base.model.d_model;
    wanted_ = static_cast<double>(budget_);
  } else if (hold != Hold::nothing) {
    wanted_ = of(base, functions.cost(base));
  }
}

double Holder::of(const RunConfig& cell, const RunCost& cost) const {
  if (hold_ == Hold::budget) {
    const HeadDims dims = head_dims(cell.attention, cell.model.d_model);
    return static_cast<double>(dims.heads * dims.d_k);
  }
  if (hold_ == Hold::params) return static_cast<double>(cost.parameters);
  return hold_ == Hold::flops ? cost.train_flops_per_token : kUnknown;
}

std::int64_t Holder::d_k_of(std::int64_t heads) const {
  if (budget_ % heads != 0 && !rounded_up_) {
    throw UserError("h*d_k is held at " + std::to_string(budget_) + ", which cannot be divided by h " +
                    std::to_string(heads) +
                    "; take another h, or set attention.d_k to \"ceil\" in the base configuration to round up");
  }
  return (budget_ + heads - 1) / heads;
}

std::optional<Assignment> Holder::adjustment(const RunConfig& cell) const {
  const auto setting = [&](const std::string& path, std::int64_t value) {
    return Assignment{.path = path, .value = std::to_string(value), .origin = option(hold_)};
  };
  if (hold_ == Hold::budget) {
    const std::int64_t heads = cell.attention.num_heads, wanted = d_k_of(heads);
    const auto& d_k = cell.attention.d_k;
    // Left alone where it comes out right by itself, so that the base's own cell stays the base.
    const bool is_so = d_k && !d_k->is_word() ? d_k->value == wanted
                       : d_k                  ? (cell.model.d_model + heads - 1) / heads == wanted
                                              : heads * wanted == cell.model.d_model;
    return is_so ? std::nullopt : std::optional(setting("attention.d_k", wanted));
  }
  if (hold_ == Hold::params) return setting("model.d_ff", functions_.d_ff_for_parameters(cell, wanted_));
  if (hold_ == Hold::flops) return setting("model.d_ff", functions_.d_ff_for_flops(cell, wanted_));
  return std::nullopt;
}

void Holder::check_reached(double held) const {
  const bool by_width = hold_ == Hold::params || hold_ == Hold::flops;
  if (!by_width || std::abs(held - wanted_) <= kFarOff * wanted_) return;
  throw UserError(to_string(hold_) + " are held at " + format_count(std::llround(wanted_)) +
                  ", but no d_ff brings this cell nearer than " + format_count(std::llround(held)) +
                  "; leave the cell out, or change the base's d_ff");
}

void Holder::check_agrees(const Point& point, const RunConfig& cell) const {
  const auto refuse = [&](const std::string& why) {
    throw UserError("cell " + point.name + ": " + why + "; take that out of the grid, or use --hold nothing");
  };
  if (hold_ == Hold::params || hold_ == Hold::flops) {
    if (point.find("model.d_ff") != nullptr) refuse("it sets d_ff, which " + option(hold_) + " adjusts");
  }
  if (hold_ != Hold::budget) return;
  for (const Setting& setting : point.settings) {
    if (sets_heads_of_a_place(setting)) refuse(option(hold_) + " needs the same heads everywhere, not " + setting.path);
  }
  const Setting* d_k = point.find("attention.d_k");
  if (d_k == nullptr || !d_k->value.is_number()) return;
  const std::int64_t heads = cell.attention.num_heads, value = d_k->value.get<std::int64_t>();
  const bool agrees = rounded_up_ ? value == d_k_of(heads) : value * heads == budget_;
  if (!agrees) {
    refuse(option(hold_) + " fixes the product at " + std::to_string(budget_) + ", but h " + std::to_string(heads) +
           " * d_k " + std::to_string(value) + " is " + std::to_string(value * heads));
  }
}

}  // namespace mha
