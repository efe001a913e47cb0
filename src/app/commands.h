#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace mha {

// Each function adds one subcommand to the app. Its callback sets `action` to the work, which returns the exit code;
// main runs it after parsing and turns exceptions into messages and exit codes.
void add_bleu_command(CLI::App& app, std::function<int()>& action);

}  // namespace mha
