#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace mha {

// Each function adds one subcommand (or the options of the main job) to the app. Its callback sets `action` to the
// work, which returns the exit code; main runs it after parsing and turns exceptions into messages and exit codes.
void add_train_options(CLI::App& app, std::function<int()>& action);
void add_baseline_command(CLI::App& app, std::function<int()>& action);
void add_bench_command(CLI::App& app, std::function<int()>& action);
void add_bleu_command(CLI::App& app, std::function<int()>& action);
void add_compare_command(CLI::App& app, std::function<int()>& action);
void add_config_command(CLI::App& app, std::function<int()>& action);
void add_cost_command(CLI::App& app, std::function<int()>& action);
void add_eval_command(CLI::App& app, std::function<int()>& action);
void add_pick_command(CLI::App& app, std::function<int()>& action);
void add_report_command(CLI::App& app, std::function<int()>& action);
void add_sweep_command(CLI::App& app, std::function<int()>& action);
void add_table_command(CLI::App& app, std::function<int()>& action);
void add_translate_command(CLI::App& app, std::function<int()>& action);

}  // namespace mha
