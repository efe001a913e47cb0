#include <CLI/CLI.hpp>
#include <exception>
#include <functional>
#include <iostream>

#include "app/commands.h"
#include "app/environment.h"
#include "base/error.h"
#include "base/log.h"
#include "base/stop.h"

namespace {

int run_action(const std::function<int()>& action) {
  using mha::ExitCode;
  try {
    return action();
  } catch (const mha::UserError& error) {
    mha::log_error(error.what());
    return static_cast<int>(ExitCode::user);
  } catch (const mha::CheckFailed& error) {
    mha::log_error(error.what());
    return static_cast<int>(ExitCode::check_failed);
  } catch (const mha::Interrupted& interrupted) {
    mha::log_error(interrupted.what());
    return static_cast<int>(ExitCode::signal_base) + interrupted.signal_number();
  } catch (const std::exception& error) {
    mha::log_error("internal error: " + mha::plain_message(error));
    return static_cast<int>(ExitCode::internal);
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Trains small encoder-decoder Transformers with pluggable multi-head attention and reports honestly.",
               "mha-train");
  std::function<int()> action;
  app.set_version_flag("--version", mha::version_text());
  mha::add_train_options(app, action);
  mha::add_bleu_command(app, action);
  mha::add_config_command(app, action);
  mha::add_eval_command(app, action);
  mha::add_report_command(app, action);
  mha::add_translate_command(app, action);
  app.require_subcommand(0, 1);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(mha::ExitCode::user);
  }
  mha::install_stop_handlers();
  const int code = run_action(action);
  std::cout.flush();
  return code;
}
