#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "base/random.h"
#include "metrics/significance.h"

// Synthetic grids: n-gram statistics of sentences under a model with every source of variance that a real grid has.

namespace mha {

/// Deviations on the scale of the logit of a word being right.
struct GridModel {
  std::size_t cells = 4, seeds = 2, sentences = 200;
  double difficulty = 0.6;  // of a sentence, the same for all cells
  double cell_taste = 0.3;  // of a cell for a sentence, the same for all its seeds
  double training = 0.05;   // of a seed, over all sentences
  double seed_taste = 0.2;  // of a seed for a sentence
  double unsteady = 1;      // the first cell's training, as a multiple of the others'
  double planted = 0;       // what is added to the last cell
};

class GridSimulator {
 public:
  GridSimulator(const GridModel& model, std::uint64_t seed) : model_(model), random_(derive_key({seed})) {}

  /// A new test set and new trainings.
  std::vector<CellSample> grid() {
    std::vector<double> difficulty = normals(model_.difficulty);
    std::vector<std::size_t> lengths(model_.sentences);
    for (auto& length : lengths) length = 6 + random_.below(15);
    std::vector<CellSample> cells(model_.cells);
    for (std::size_t c = 0; c < model_.cells; ++c) {
      cells[c].name = "cell " + std::to_string(c);
      const double planted = c + 1 == model_.cells ? model_.planted : 0.0;
      const std::vector<double> taste = normals(model_.cell_taste);
      for (std::size_t s = 0; s < model_.seeds; ++s) {
        const double training = model_.training * (c == 0 ? model_.unsteady : 1.0) * normal() + planted;
        const std::vector<double> noise = normals(model_.seed_taste);
        std::vector<BleuStats>& sentences = cells[c].seeds.emplace_back();
        for (std::size_t i = 0; i < model_.sentences; ++i) {
          sentences.push_back(sentence(lengths[i], difficulty[i] + taste[i] + training + noise[i]));
        }
      }
    }
    return cells;
  }

  RandomStream& random() { return random_; }

 private:
  /// Box and Muller (1958).
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - random_.uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * random_.uniform());
  }

  std::vector<double> normals(double deviation) {
    std::vector<double> out(model_.sentences);
    for (auto& value : out) value = deviation * normal();
    return out;
  }

  std::int64_t binomial(std::int64_t n, double p) {
    std::int64_t hits = 0;
    for (std::int64_t i = 0; i < n; ++i) hits += random_.uniform() < p ? 1 : 0;
    return hits;
  }

  /// About 30 BLEU at logit 0; an n-gram matches only where one of n - 1 words does.
  BleuStats sentence(std::size_t length, double logit) {
    BleuStats out;
    out.ref_len = static_cast<std::int64_t>(length);
    out.hyp_len = out.ref_len + static_cast<std::int64_t>(random_.below(3)) - 1;
    std::int64_t possible = out.hyp_len;
    for (std::size_t n = 0; n < 4; ++n) {
      out.total[n] = std::max<std::int64_t>(0, out.hyp_len - static_cast<std::int64_t>(n));
      possible = std::min(possible, out.total[n]);
      out.match[n] = possible = binomial(possible, 1.0 / (1.0 + std::exp(-0.5 - logit)));
    }
    return out;
  }

  GridModel model_;
  RandomStream random_;
};

}  // namespace mha
