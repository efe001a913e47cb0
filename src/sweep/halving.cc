#include "sweep/halving.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"

namespace mha {
namespace {

bool holds(const std::vector<std::size_t>& runs, std::size_t run) { return std::ranges::count(runs, run) > 0; }

}  // namespace

std::vector<std::int64_t> halving_rungs(std::int64_t cells, std::int64_t max_update, std::int64_t interval) {
  std::vector<std::int64_t> rungs;
  std::int64_t share = kHalvingEta;
  for (; share <= cells; share *= kHalvingEta) {
    const std::int64_t update = (max_update / share + interval - 1) / interval * interval;
    if (update > 0 && update < max_update && (rungs.empty() || update < rungs.back())) rungs.push_back(update);
  }
  std::ranges::reverse(rungs);
  return rungs;
}

Halving::Halving(std::vector<Cell> cells, std::vector<std::int64_t> rungs, LossAt loss_at,
                 const std::vector<std::size_t>& over)
    : rungs_(std::move(rungs)), loss_at_(std::move(loss_at)) {
  for (Cell& cell : cells) {
    State state;
    state.cell = std::move(cell);
    for (const std::size_t run : state.cell.runs) {
      if (holds(over, run)) state.over.push_back(run);
    }
    const auto has_reached = [&](std::size_t rung) {
      return std::ranges::all_of(state.cell.runs, [&](std::size_t run) {
        return holds(state.over, run) || loss_at_(run, rungs_[rung]).has_value();
      });
    };
    const bool none_begun = std::ranges::none_of(
        state.cell.runs, [&](std::size_t run) { return !rungs_.empty() && loss_at_(run, rungs_[0]).has_value(); });
    if (!none_begun || !state.over.empty()) {
      aim(state, 0);
      while (state.target < rungs_.size() && has_reached(state.target)) {
        state.to_start.clear();
        settle(state);
        if (state.target + 1 == rungs_.size() || !has_reached(state.target + 1)) break;
        aim(state, state.target + 1);
      }
    }
    cells_.push_back(std::move(state));
  }
}

void Halving::aim(State& state, std::size_t target) {
  state.begun = true;
  state.target = target;
  for (const std::size_t run : state.cell.runs) {
    if (!holds(state.over, run)) state.to_start.push_back(run);
  }
}

/// Puts down the loss at the rung that all its runs have reached.
void Halving::settle(State& state) {
  if (state.target >= rungs_.size() || state.losses.size() > state.target) return;
  double sum = 0;
  for (const std::size_t run : state.cell.runs) {
    const std::optional<double> loss = loss_at_(run, rungs_[state.target]);
    sum += loss && std::isfinite(*loss) ? *loss : std::numeric_limits<double>::infinity();
  }
  state.losses.push_back(sum / static_cast<double>(state.cell.runs.size()));
}

/// Once all have arrived: aims those that the lowest undecided rung sends on. False if there are none.
bool Halving::send_on() {
  for (std::size_t rung = 0; rung < rungs_.size(); ++rung) {
    std::vector<State*> there;
    for (State& state : cells_) {
      if (state.losses.size() > rung) there.push_back(&state);
    }
    std::ranges::stable_sort(there, {}, [&](const State* state) { return state->losses[rung]; });
    there.resize(there.size() / static_cast<std::size_t>(kHalvingEta));
    bool any = false;
    for (State* state : there) {
      if (state->target != rung || !std::isfinite(state->losses[rung])) continue;
      aim(*state, rung + 1);
      if (state->to_start.empty()) settle(*state);  // its runs ended before
      any = true;
    }
    if (any) return true;
  }
  return false;
}

std::optional<Step> Halving::next() {
  for (State& state : cells_) {
    if (!state.begun) {
      aim(state, 0);
      if (state.to_start.empty()) settle(state);
    }
    if (state.to_start.empty()) continue;
    const std::size_t run = state.to_start.front();
    state.to_start.erase(state.to_start.begin());
    ++state.training;
    return Step{.run = run, .stop_after = state.target < rungs_.size() ? rungs_[state.target] : 0};
  }
  const bool all_there = std::ranges::all_of(cells_, [](const State& state) { return state.training == 0; });
  return all_there && send_on() ? next() : std::nullopt;
}

void Halving::ended(std::size_t run, const Outcome& outcome) {
  const auto found = std::ranges::find_if(cells_, [&](const State& state) { return holds(state.cell.runs, run); });
  if (found == cells_.end()) return;
  --found->training;
  // What was interrupted by its stop goes on later; interrupted in any other way, it is over for this process.
  const bool paused = outcome.status == SweepRunStatus::interrupted && outcome.report && outcome.report->exit_code == 0;
  if (!paused) found->over.push_back(run);
  if (reached_target(*found)) settle(*found);
}

std::vector<RunOrder::Cut> Halving::cut() const {
  std::vector<Cut> cut;
  for (const State& state : cells_) {
    if (!reached_target(state) || state.target >= rungs_.size()) continue;
    for (const std::size_t run : state.cell.runs) {
      if (holds(state.over, run)) continue;
      cut.push_back({run, "cut at update " + std::to_string(rungs_[state.target]) +
                              ": its cell's validation loss there, " + format_fixed(state.losses.back(), 4) +
                              ", is not in the best third of those compared"});
    }
  }
  return cut;
}

}  // namespace mha
