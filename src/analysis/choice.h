#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "analysis/sweep_results.h"

namespace mha {

enum class Smallest { params, memory, latency };
constexpr std::array<std::string_view, 3> enum_names(Smallest) { return {"params", "memory", "latency"}; }

/// "0.3bleu" or "0.3": BLEU points, at least 0. UserError for anything else.
double parse_bleu_margin(const std::string& text);

/// Why a cell took no part.
enum class LeftOut { other_test, no_run, lacks_seeds, no_bleu, no_size };
constexpr std::array<std::string_view, 5> enum_names(LeftOut) {
  return {"scored on other test data or in another way than the baseline", "none of its runs has finished",
          "not all of its seeds have finished", "its test BLEU is not known", "its size is not known"};
}

/// The cell to take, and what it was taken from. The indices are of SweepResults::cells.
struct Choice {
  std::size_t chosen = 0, best = 0;  // best: highest mean BLEU
  std::vector<std::size_t> within;   // all whose mean BLEU is at most the margin below the best's, best included
  std::map<LeftOut, std::vector<std::size_t>> left_out;  // no_size: of those within
  std::vector<std::string> unlike;  // what the compared cells were measured on, if on different things
};

/// Of the cells whose mean BLEU lies within `margin` of the best, the one with the smallest parameters, peak memory or
/// latency; among equals the one of higher BLEU. Only cells of which every planned seed has finished, and that were
/// scored as the baseline was, take part.
/// UserError if there is none, or if the size is not known of any.
Choice choose_cell(const SweepResults& results, double margin, Smallest smallest);

/// The size that decides, in parameters, bytes or seconds a sentence; NaN if it is not known.
double size_of(const CellResult& cell, Smallest smallest);

/// The configuration of a cell for further work: without seed, run_dir, and with what changes no result (threads,
/// cache) as the sweep's base has it.
json config_to_keep(const SweepResults& results, const CellResult& cell);

/// What was chosen, from what and by what, and which cells took no part, in a few lines.
std::string choice_text(const SweepResults& results, const Choice& choice, double margin, Smallest smallest);
/// The same for machines. Comparisons and fronts, which are not looked at here, are not in it.
json choice_json(const SweepResults& results, const Choice& choice, double margin, Smallest smallest);

}  // namespace mha
