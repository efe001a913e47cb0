#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "analysis/sweep_page.h"
#include "app/commands.h"
#include "base/error.h"
#include "base/file.h"
#include "config/values.h"

namespace mha {
namespace {

struct TableArguments {
  std::string folder, format = "text", like, out;
  bool phenomena = false;
};

int print_table(const TableArguments& arguments) {
  PageOptions options{.like_table3 = !arguments.like.empty(), .phenomena = arguments.phenomena};
  ValueType<TableFormat>::read(arguments.format, {}, {}, options.format);  // CLI11 has checked that it is one of them
  std::optional<AtomicFile> output;  // made now: what cannot be written is to be known before the work
  if (!arguments.out.empty()) output.emplace(arguments.out);
  const std::string page = sweep_page(std::filesystem::path(arguments.folder), options);
  if (output) {
    output->write(page);
    output->commit();
  } else {
    std::fputs(page.c_str(), stdout);
  }
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

void add_table_command(CLI::App& app, std::function<int()>& action) {
  const auto arguments = std::make_shared<TableArguments>();
  CLI::App* command = app.add_subcommand("table", "The results of a sweep as a table, with what can be told apart");
  command->add_option("sweep", arguments->folder, "Folder of the sweep")->required();
  command->add_option("--format", arguments->format, "text, markdown, latex, csv or json")
      ->check(CLI::IsMember(enum_words<TableFormat>()))
      ->capture_default_str();
  command->add_option("--like", arguments->like, "table3: as Table 3, rows (A) and (B), of Attention Is All You Need")
      ->check(CLI::IsMember({"table3"}));
  command->add_flag("--phenomena", arguments->phenomena,
                    "Accuracy by phenomenon too; with --format csv instead, without --like (JSON always has it)");
  command->add_option("-o,--out", arguments->out, "Write to this file");
  command->callback([arguments, &action] { action = [arguments] { return print_table(*arguments); }; });
}

}  // namespace mha
