#include <CLI/CLI.hpp>
#include <exception>
#include <functional>
#include <string>

#include "app/commands.h"
#include "app/environment.h"
#include "app/failure.h"
#include "base/error.h"
#include "base/log.h"
#include "base/stop.h"

namespace {

int run_action(const std::function<int()>& action) {
  try {
    return action();
  } catch (const std::exception& error) {
    const int code = mha::exit_code_of(error);
    const bool internal = code == static_cast<int>(mha::ExitCode::internal);
    mha::log_error((internal ? "internal error: " : "") + mha::plain_message(error));
    return code;
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Trains small encoder-decoder Transformers with pluggable multi-head attention and reports honestly.",
               "mha-train");
  std::function<int()> action;
  app.set_version_flag("--version", mha::version_text());
  mha::add_train_options(app, action);
  mha::add_baseline_command(app, action);
  mha::add_bench_command(app, action);
  mha::add_bleu_command(app, action);
  mha::add_compare_command(app, action);
  mha::add_config_command(app, action);
  mha::add_cost_command(app, action);
  mha::add_eval_command(app, action);
  mha::add_pick_command(app, action);
  mha::add_report_command(app, action);
  mha::add_sweep_command(app, action);
  mha::add_table_command(app, action);
  mha::add_translate_command(app, action);
  app.require_subcommand(0, 1);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return mha::finish_output(app.exit(error) == 0 ? 0 : static_cast<int>(mha::ExitCode::user));
  }
  mha::install_stop_handlers();
  return mha::finish_output(run_action(action));
}
