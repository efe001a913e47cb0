#include <ATen/core/Tensor.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "app/commands.h"
#include "app/config_options.h"
#include "app/environment.h"
#include "app/report_builder.h"
#include "app/run_cost.h"
#include "app/test_run.h"
#include "app/trained_model.h"
#include "base/error.h"
#include "base/system.h"
#include "base/text.h"
#include "cost/products.h"
#include "data/corpus.h"
#include "data/vocabulary.h"
#include "ops/roofline.h"
#include "report/field_json.h"
#include "train/step_bench.h"

namespace mha {
namespace {

struct BenchArguments {
  ConfigArguments config;
  std::int64_t warmup = 10, updates = 50;
  bool as_json = false;
};

struct Benchmark {
  StepTimes times;
  double products_per_update = 0;  // floating-point operations of the products with weights
  double roofline = 0;             // operations a second
  Provenance provenance;
  std::vector<AttentionReport> attention;
};

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

/// Of the machine's own rate of matrix products, over the whole step.
double roofline_share(const Benchmark& bench) {
  const auto updates = static_cast<double>(bench.times.updates);
  return share(bench.products_per_update * updates / bench.times.seconds, bench.roofline);
}

Benchmark run_bench(const BenchArguments& arguments) {
  const LoadedConfig loaded = load_config(arguments.config);
  const RunConfig& config = loaded.config;
  const Environment environment = set_up_environment(config);
  if (!environment.device.is_cpu()) throw UserError("bench measures processors only; add --device cpu");
  const std::filesystem::path cache = cache_folder(config, run_root(loaded));
  const VocabularyPair vocabularies = make_vocabularies(config.vocab, config.data, cache);
  const CorpusPtr corpus =
      open_corpus(config.data.train, "train", vocabularies, EncodeOptions::of(config.data, true), cache);
  const std::unique_ptr<Transformer> model = build_model(config, vocabularies, environment.device);
  Benchmark bench;
  bench.roofline = matrix_product_rate(environment.dtype);
  bench.times = bench_steps(config, *model, corpus,
                            {.warmup = arguments.warmup,
                             .updates = arguments.updates,
                             .dtype = environment.dtype,
                             .threads = environment.threads});
  const auto updates = static_cast<double>(bench.times.updates);
  bench.products_per_update = 6 * training_products(config, shape_of(environment, vocabularies, *corpus))
                                      .with_weights()
                                      .of(static_cast<double>(bench.times.source_tokens) / updates,
                                          static_cast<double>(bench.times.target_tokens) / updates);
  bench.provenance = machine_provenance(environment);
  bench.attention = attention_report(*model);
  return bench;
}

json to_json(const Benchmark& bench) {
  const StepTimes& times = bench.times;
  json out = {{"updates", times.updates},
              {"target_tokens_per_second", static_cast<double>(times.target_tokens) / times.seconds},
              {"source_tokens_per_second", static_cast<double>(times.source_tokens) / times.seconds},
              {"target_tokens", times.target_tokens},
              {"source_tokens", times.source_tokens},
              {"seconds",
               {{"total", times.seconds},
                {"data", times.data},
                {"forward", times.forward},
                {"backward", times.backward},
                {"waiting", times.waiting},
                {"reduce", times.reduce},
                {"optimizer", times.optimizer},
                {"fastest_update", times.fastest_update},
                {"slowest_update", times.slowest_update}}},
              {"gflop_per_update", bench.products_per_update / 1e9},
              {"roofline_gflop_per_second", bench.roofline / 1e9},
              {"roofline_share", roofline_share(bench)},
              {"peak_resident_bytes", peak_resident_bytes()},
              {"provenance", field_to_json(bench.provenance)}};
  out["attention"] = json::array();
  for (const AttentionReport& block : bench.attention) out["attention"].push_back(field_to_json(block));
  return out;
}

/// "packed", "padded" or "packed and padded".
std::string paths(const std::vector<AttentionReport>& blocks) {
  bool packed = false, padded = false;
  for (const AttentionReport& block : blocks) (block.path == "packed" ? packed : padded) = true;
  return packed && padded ? "packed and padded" : packed ? "packed" : "padded";
}

void print_table(const Benchmark& bench) {
  const StepTimes& times = bench.times;
  const auto updates = static_cast<double>(times.updates);
  const auto line = [](const char* label, const std::string& text) { std::printf("%-15s%s\n", label, text.c_str()); };
  const auto part = [&](const char* label, double seconds) {
    line(label, format_fixed(1e3 * seconds / updates, 2) + " ms an update, " +
                    format_fixed(100 * share(seconds, times.seconds), 1) + " %");
  };
  const auto rate = [&](std::int64_t tokens) {
    return format_count(static_cast<std::int64_t>(static_cast<double>(tokens) / times.seconds));
  };
  line("machine", bench.provenance.processor + ", " + std::to_string(bench.provenance.threads) + " threads, " +
                      bench.provenance.precision + ", attention " + paths(bench.attention));
  line("updates", format_count(times.updates) + ", " +
                      format_count(static_cast<std::int64_t>(static_cast<double>(times.target_tokens) / updates)) +
                      " target tokens each");
  line("tokens/s", rate(times.target_tokens) + " target, " + rate(times.source_tokens) + " source");
  part("step", times.seconds);
  part("  data", times.data);
  part("  forward", times.forward);
  part("  backward", times.backward);
  part("  waiting", times.waiting);
  part("  reduce", times.reduce);
  part("  optimizer", times.optimizer);
  line("products", format_fixed(bench.products_per_update / 1e9, 1) + " GFLOP an update, products with weights only");
  line("roofline", format_fixed(100 * roofline_share(bench), 1) + " % of " + format_fixed(bench.roofline / 1e9, 0) +
                       " GFLOP/s, this machine's own matrix products");
  line("peak memory", format_count(peak_resident_bytes() >> 20) + " MiB resident");
}

int bench(const BenchArguments& arguments) {
  const Benchmark result = run_bench(arguments);
  if (arguments.as_json) {
    std::puts(dump_json(to_json(result)).c_str());
  } else {
    print_table(result);
  }
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

void add_bench_command(CLI::App& app, std::function<int()>& action) {
  const auto arguments = std::make_shared<BenchArguments>();
  CLI::App* command =
      app.add_subcommand("bench", "Measure the speed of training a configuration, and where the time goes");
  add_config_options(*command, arguments->config);
  command->get_option("--config")->required();
  command->add_option("--warmup", arguments->warmup, "Updates before the measurement")->check(CLI::Range(0, 1'000'000));
  command->add_option("--updates", arguments->updates, "Updates that are measured")->check(CLI::Range(1, 1'000'000));
  command->add_flag("--json", arguments->as_json, "Print JSON");
  command->callback([arguments, &action] { action = [arguments] { return bench(*arguments); }; });
}

}  // namespace mha
