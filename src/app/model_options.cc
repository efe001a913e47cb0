#include "app/model_options.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.h"

namespace mha {

namespace {

/// CLI11's own checks let "nan" and "inf" pass.
CLI::Validator finite_from_zero() {
  return {[](std::string& text) {
            double value = 0;
            const bool fits = CLI::detail::lexical_cast(text, value) && std::isfinite(value) && value >= 0;
            return fits ? std::string() : "must be a number of at least 0, not " + text;
          },
          "NUMBER"};
}

template <class E>
CLI::Validator one_of() {
  const auto names = enum_names(E{});
  return CLI::IsMember(std::vector<std::string>{names.begin(), names.end()});
}

/// CLI11 has checked that the name is one of them.
template <class E>
E named(const std::string& name) {
  const auto names = enum_names(E{});
  return static_cast<E>(std::ranges::find(names, name) - names.begin());
}

}  // namespace

void add_model_options(CLI::App& command, ModelArguments& arguments) {
  command.add_option("run", arguments.model.run, "Run folder, or a .safetensors file in its checkpoints folder")
      ->required();
  command
      .add_option("--weights", arguments.model.weights,
                  "Which weights of the folder: average, best or last (default: the first that is there)")
      ->check(CLI::IsMember({"average", "best", "last"}));
  command.add_option("--beam", arguments.beam, "Beam size; 1 is greedy")->check(CLI::Range(1, 1000));
  command.add_option("--lenpen", arguments.lenpen, "Exponent of the length penalty")->check(finite_from_zero());
  command.add_option("--lenpen-type", arguments.lenpen_type, "Length penalty: avg or wu")
      ->check(one_of<LengthPenalty>());
  command.add_option("--max-len-a", arguments.max_len_a, "Longest translation: A * subwords of the source + B")
      ->check(finite_from_zero());
  command.add_option("--max-len-b", arguments.max_len_b, "See --max-len-a")->check(CLI::Range(1, 1000000));
  command.add_option("--max-tokens", arguments.max_tokens, "Size of a decoding batch in source subwords times beam")
      ->check(CLI::PositiveNumber);
  command.add_option("--min-len", arguments.min_len, "Shortest translation in subwords")->check(CLI::Range(1, 1000000));
  command.add_option("--precision", arguments.precision, "Matrix products of decoding: fp32, bf16 or int8")
      ->check(one_of<DecodePrecision>());
  command.add_option("--path", arguments.path, "How to decode: auto or generic")->check(one_of<DecodePath>());
  command.add_option("--threads", arguments.model.threads, "Processor threads")->check(CLI::Range(1, 1024));
  command.add_option("--device", arguments.model.device, "auto, cpu or cuda")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
}

DecodeConfig search_settings(const ModelArguments& arguments, const DecodeConfig& from_run) {
  DecodeConfig search = from_run;
  search.beam = arguments.beam.value_or(search.beam);
  search.lenpen = arguments.lenpen.value_or(search.lenpen);
  search.max_len_a = arguments.max_len_a.value_or(search.max_len_a);
  search.max_len_b = arguments.max_len_b.value_or(search.max_len_b);
  if (arguments.lenpen_type) search.lenpen_type = named<LengthPenalty>(*arguments.lenpen_type);
  search.max_tokens = arguments.max_tokens.value_or(search.max_tokens);
  search.nbest = arguments.nbest.value_or(1);
  search.min_len = arguments.min_len.value_or(search.min_len);
  if (arguments.precision) search.precision = named<DecodePrecision>(*arguments.precision);
  if (arguments.path) search.path = named<DecodePath>(*arguments.path);
  if (search.nbest > search.beam) {
    throw UserError("--nbest " + std::to_string(search.nbest) + " needs a beam of at least as many; --beam is " +
                    std::to_string(search.beam));
  }
  return search;
}

}  // namespace mha
