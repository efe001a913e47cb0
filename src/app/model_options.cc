#include "app/model_options.h"

#include "base/error.h"

namespace mha {

void add_model_options(CLI::App& command, ModelArguments& arguments) {
  command.add_option("run", arguments.model.run, "Run folder, or a .safetensors file in its checkpoints folder")
      ->required();
  command
      .add_option("--weights", arguments.model.weights,
                  "Which weights of the folder: average, best or last (default: the first that is there)")
      ->check(CLI::IsMember({"average", "best", "last"}));
  command.add_option("--beam", arguments.beam, "Beam size; 1 is greedy")->check(CLI::Range(1, 1000));
  command.add_option("--lenpen", arguments.lenpen, "Exponent of the length penalty")->check(CLI::NonNegativeNumber);
  command.add_option("--max-tokens", arguments.max_tokens, "Size of a decoding batch in source subwords times beam")
      ->check(CLI::PositiveNumber);
  command.add_option("--threads", arguments.model.threads, "Processor threads")->check(CLI::PositiveNumber);
  command.add_option("--device", arguments.model.device, "auto, cpu or cuda")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
}

DecodeConfig search_settings(const ModelArguments& arguments, const DecodeConfig& from_run) {
  DecodeConfig search = from_run;
  search.beam = arguments.beam.value_or(search.beam);
  search.lenpen = arguments.lenpen.value_or(search.lenpen);
  search.max_tokens = arguments.max_tokens.value_or(search.max_tokens);
  search.nbest = arguments.nbest.value_or(1);
  if (search.nbest > search.beam) {
    throw UserError("--nbest " + std::to_string(search.nbest) + " needs a beam of at least as many; --beam is " +
                    std::to_string(search.beam));
  }
  return search;
}

}  // namespace mha
