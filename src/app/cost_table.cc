#include "app/cost_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "analysis/sweep_figures.h"
#include "base/text.h"
#include "report/field_json.h"

namespace mha {
namespace {

using Row = std::vector<std::string>;

/// Columns as wide as they need be, the first to the left and the others to the right.
std::string aligned(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const Row& row : rows) {
    std::string line = row[0] + std::string(widths[0] - row[0].size(), ' ');
    for (std::size_t i = 1; i < row.size(); ++i) line += std::string(widths[i] + 2 - row[i].size(), ' ') + row[i];
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

std::string words(std::string key) {
  std::ranges::replace(key, '_', ' ');
  return key;
}

std::string ratio(double other, double configured) {
  return configured > 0 && std::isfinite(other) ? "x " + format_fixed(other / configured, 3) : "";
}

std::string percent(double part, double whole) { return whole > 0 ? format_fixed(100 * part / whole, 1) + " %" : ""; }

std::string rounded(double value) { return std::isfinite(value) ? format_count(std::llround(value)) : "-"; }

struct Amount {
  std::string name;
  std::int64_t value = 0;
};

/// The numbers of a table of integers, those of a table inside it indented below their sum.
template <class T>
void add_amounts(const T& table, const std::string& indent, std::vector<Amount>& out) {
  auto visit = [&](auto member, const char* key) {
    const auto& value = table.*member;
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::int64_t>) {
      out.push_back({indent + words(key), value});
    } else {
      out.push_back({indent + words(key), total(value)});
      add_amounts(value, indent + "  ", out);
    }
  };
  T::fields(visit);
}

/// Part, amount, share of the whole; the same with one head, and by how much that differs.
template <class T>
std::string amounts_table(const Row& head, const T& table, const T* one_head, std::string (*text)(std::int64_t)) {
  std::vector<Amount> amounts, others;
  add_amounts(table, "  ", amounts);
  if (one_head != nullptr) add_amounts(*one_head, "  ", others);
  amounts.insert(amounts.begin(), {"all", total(table)});
  if (one_head != nullptr) others.insert(others.begin(), {"all", total(*one_head)});
  std::vector<Row> rows = {head};
  if (one_head != nullptr) rows.front().insert(rows.front().end(), {"one head", "ratio"});
  const auto all = static_cast<double>(total(table));
  for (std::size_t i = 0; i < amounts.size(); ++i) {
    rows.push_back({amounts[i].name, text(amounts[i].value), percent(static_cast<double>(amounts[i].value), all)});
    if (one_head == nullptr) continue;
    rows.back().push_back(text(others[i].value));
    rows.back().push_back(ratio(static_cast<double>(others[i].value), static_cast<double>(amounts[i].value)));
  }
  return aligned(rows);
}

std::string products_table(const std::string& title, const ProductCount& count, const ProductCount* one_head,
                           const RunShape& shape) {
  std::vector<Row> rows = {{title, "source token", "target token", "share"}};
  if (one_head != nullptr) rows.front().insert(rows.front().end(), {"one head: source", "target", "ratio"});
  const double all = per_target_token(count.total(), shape);
  const auto add = [&](const std::string& name, const TokenProducts& part, const TokenProducts* other) {
    const double weight = per_target_token(part, shape);
    rows.push_back({name, rounded(part.per_source_token), rounded(part.per_target_token), percent(weight, all)});
    if (other == nullptr) return;
    rows.back().push_back(rounded(other->per_source_token));
    rows.back().push_back(rounded(other->per_target_token));
    rows.back().push_back(ratio(per_target_token(*other, shape), weight));
  };
  const auto add_sum = [&](const char* name, TokenProducts (ProductCount::*sum)() const) {
    const TokenProducts other = one_head != nullptr ? (one_head->*sum)() : TokenProducts();
    add(name, (count.*sum)(), one_head != nullptr ? &other : nullptr);
  };
  add_sum("all", &ProductCount::total);
  auto visit = [&](auto member, const char* key) {
    add("  " + words(key), count.*member, one_head != nullptr ? &(one_head->*member) : nullptr);
  };
  ProductCount::fields(visit);
  add_sum("attention in all", &ProductCount::attention);
  return aligned(rows);
}

std::string time_text(double seconds) { return std::isfinite(seconds) ? format_duration(seconds) : "not known"; }

std::string work_table(const CostComparison& cost) {
  const CostBill& bill = cost.configured;
  std::vector<Row> rows = {{"work and time", ""}};
  if (cost.one_head) rows.front().insert(rows.front().end(), {"one head", "ratio"});
  const auto add = [&](const char* name, auto&& of, auto&& text) {
    rows.push_back({name, text(of(bill))});
    if (cost.one_head)
      rows.back().insert(rows.back().end(), {text(of(*cost.one_head)), ratio(of(*cost.one_head), of(bill))});
  };
  const auto mega = [](double flops) { return format_fixed(flops / 1e6, 3); };
  add(
      "MFLOP a target token, training", [](const CostBill& b) { return b.train_flops_per_token; }, mega);
  add(
      "MFLOP a target token, decoding", [](const CostBill& b) { return b.decode_flops_per_token; }, mega);
  if (bill.rate) {
    const auto giga = [](double flops) { return format_fixed(flops / 1e9, 1); };
    add(
        "GFLOP/s of training, measured", [](const CostBill& b) { return b.rate->flops_per_second; }, giga);
    add(
        "target tokens/s of training", [](const CostBill& b) { return b.tokens_per_second; }, rounded);
    add(
        "time of the updates", [](const CostBill& b) { return b.seconds; }, time_text);
  }
  return aligned(rows);
}

json to_json(const CostBill& bill) {
  json out = {{"num_params", total(bill.parameters)},
              {"parameters", field_to_json(bill.parameters)},
              {"multiply_adds_training", field_to_json(bill.training)},
              {"multiply_adds_decoding", field_to_json(bill.decoding)},
              {"train_flops_per_token", bill.train_flops_per_token},
              {"decode_flops_per_token", bill.decode_flops_per_token},
              {"memory_bytes", total(bill.memory)},
              {"memory", field_to_json(bill.memory)},
              {"rate", nullptr},
              {"tokens_per_second", field_to_json(bill.tokens_per_second)},
              {"seconds", field_to_json(bill.seconds)}};
  if (bill.rate) out["rate"] = field_to_json(*bill.rate);
  return out;
}

}  // namespace

CostBill make_bill(const RunConfig& config, const RunShape& shape, const std::optional<TrainingRate>& rate) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  return {.parameters = count_parameters(config, shape),
          .training = training_products(config, shape),
          .decoding = decoding_products(config, shape),
          .memory = expected_memory(config, shape),
          .train_flops_per_token = train_flops_per_token(config, shape),
          .decode_flops_per_token = decode_flops_per_token(config, shape),
          .rate = rate,
          .tokens_per_second = rate ? update_tokens(config, shape) / update_seconds(config, shape, *rate) : unknown,
          .seconds = rate ? expected_seconds(config, shape, *rate) : unknown};
}

json to_json(const CostComparison& cost) {
  const auto share = [&](const TokenProducts& part) {
    return per_target_token(part, cost.shape) / per_target_token(cost.configured.training.total(), cost.shape);
  };
  json out = {{"source_vocab", cost.shape.source_vocab},
              {"target_vocab", cost.shape.target_vocab},
              {"source_length", cost.shape.source_length},
              {"target_length", cost.shape.target_length},
              {"precision", cost.shape.bf16 ? "bf16" : "fp32"},
              {"threads", cost.shape.threads},
              {"attention_share", share(cost.configured.training.attention())},
              {"scores_share", share(cost.configured.training.scores())},
              {"configured", to_json(cost.configured)},
              {"one_head", nullptr}};
  if (cost.one_head) out["one_head"] = to_json(*cost.one_head);
  return out;
}

std::string cost_tables(const CostComparison& cost) {
  const CostBill* one = cost.one_head ? &*cost.one_head : nullptr;
  const auto size = [](std::int64_t bytes) { return format_bytes(bytes); };
  const auto count = [](std::int64_t value) { return format_count(value); };
  return "vocabularies of " + format_count(cost.shape.source_vocab) + " and " + format_count(cost.shape.target_vocab) +
         ", sentences of " + format_fixed(cost.shape.source_length, 1) + " and " +
         format_fixed(cost.shape.target_length, 1) + " tokens, " + (cost.shape.bf16 ? "bf16" : "fp32") + ", " +
         counted(cost.shape.threads, "thread") + "\n\n" +
         amounts_table({"parameters", "", "share"}, cost.configured.parameters, one ? &one->parameters : nullptr,
                       +count) +
         "\n" +
         products_table("multiply-adds of a forward pass", cost.configured.training, one ? &one->training : nullptr,
                        cost.shape) +
         "(a training step: three times as many)\n\n" +
         products_table("multiply-adds of greedy decoding", cost.configured.decoding, one ? &one->decoding : nullptr,
                        cost.shape) +
         "\n" +
         amounts_table({"expected peak of memory", "", "share"}, cost.configured.memory, one ? &one->memory : nullptr,
                       +size) +
         "\n" + work_table(cost);
}

}  // namespace mha
