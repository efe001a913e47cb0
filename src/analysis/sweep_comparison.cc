#include "analysis/sweep_comparison.h"

#include <algorithm>

#include "analysis/run_sentences.h"
#include "base/error.h"

namespace mha {
namespace {

CellVerdict verdict_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::better:
      return CellVerdict::better;
    case Verdict::worse:
      return CellVerdict::worse;
    case Verdict::cannot_tell:
      break;
  }
  return CellVerdict::cannot_tell;
}

CellAgainstBaseline against(const CellComparison& comparison) {
  return {.verdict = verdict_of(comparison.verdict),
          .difference = comparison.difference,
          .low = comparison.interval.low,
          .high = comparison.interval.high,
          .p = comparison.p,
          .p_holm = comparison.p_holm};
}

/// The samples of one cell. `scored_as` is what they must agree with; empty before the first.
CellSample sample_of(const CellResult& cell, SentenceReader& reader, std::string& scored_as,
                     std::vector<std::string>& problems) {
  CellSample sample{.name = cell.cell, .seeds = {}};
  for (const FinishedRun& run : cell.runs) {
    try {
      RunSentences sentences = reader.read(run);
      if (scored_as.empty()) scored_as = sentences.scored_as;
      if (sentences.scored_as != scored_as) {
        throw UserError(run.folder.string() + ": scored on other test data, or in another way, than the baseline");
      }
      sample.seeds.push_back(std::move(sentences.stats));
    } catch (const UserError& error) {
      problems.push_back("Not compared with the baseline: " + std::string(error.what()));
    }
  }
  return sample;
}

/// With the seeds' variance pooled over all cells, or, where one cell's seeds differ far more than the others', with
/// that of each two cells; that cell is then named.
GridSignificance compare_samples(const std::vector<CellSample>& samples, std::size_t baseline, std::string& unsteady) {
  SignificanceOptions options;
  GridSignificance grid = grid_significance(samples, baseline, options);
  if (!grid.uneven || grid.uneven->p > options.alpha) return grid;
  unsteady = samples[grid.uneven->cell].name;
  options.seed_variance = SeedVariance::pair;
  return grid_significance(samples, baseline, options);
}

}  // namespace

SweepComparison compare_with_baseline(SweepResults& results) {
  SweepComparison out;
  SentenceReader reader;
  std::string scored_as;
  std::vector<CellSample> samples(results.cells.size());
  if (samples.empty()) return out;
  // The baseline first: it says how the others must have been scored.
  samples[results.baseline] = sample_of(results.cells[results.baseline], reader, scored_as, out.problems);
  if (samples[results.baseline].seeds.empty()) return out;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (i != results.baseline) samples[i] = sample_of(results.cells[i], reader, scored_as, out.problems);
  }
  out.grid = compare_samples(samples, results.baseline, out.unsteady);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const CellSignificance& cell = out.grid->cells[i];
    if (cell.comparison) results.cells[i].against_baseline = against(*cell.comparison);
  }
  results.cells[results.baseline].against_baseline.verdict = CellVerdict::baseline;
  return out;
}

}  // namespace mha
