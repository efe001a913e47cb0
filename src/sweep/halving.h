#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sweep/run_order.h"

namespace mha {

/// Of the cells that a rung compares, one in so many goes on.
inline constexpr std::int64_t kHalvingEta = 3;

/// The updates at which `cells` cells are compared: max_update / 3^k for as many k as leave at least one cell at the
/// end, each rounded up to a multiple of the validation interval; ascending, all below max_update.
std::vector<std::int64_t> halving_rungs(std::int64_t cells, std::int64_t max_update, std::int64_t interval);

/// Successive halving with the quota of ASHA (Li et al., "A System for Massively Parallel Hyperparameter Tuning",
/// 2020): of the cells at a rung the best third, rounded down, goes on. Unlike ASHA it decides when all of them are
/// there: on few processors, cells that are tried in the order of a grid, the better ones last, would nearly all go on,
/// and what is cut would depend on who came first. A cell is at a rung when the runs of all its seeds are; its loss
/// there is their mean. At the end the cells that no rung has sent on are cut.
class Halving : public RunOrder {
 public:
  struct Cell {
    std::string name;
    std::vector<std::size_t> runs;
  };
  /// Validation loss of a run at an update; none if it has not got there. NaN: got there with no usable loss.
  using LossAt = std::function<std::optional<double>(std::size_t run, std::int64_t update)>;

  /// What was trained before is found by `loss_at`. `over`: the runs that are not to be started again (done, failed).
  Halving(std::vector<Cell> cells, std::vector<std::int64_t> rungs, LossAt loss_at,
          const std::vector<std::size_t>& over);

  std::optional<Step> next() override;
  void ended(std::size_t run, const Outcome& outcome) override;
  std::vector<Cut> cut() const override;

 private:
  struct State {
    Cell cell;
    std::size_t target = 0;  // rung that its runs train to; rungs_.size(): the end
    bool begun = false;
    std::vector<std::size_t> to_start;  // runs not yet started towards the target
    std::size_t training = 0;           // runs started towards it
    std::vector<double> losses;         // at the rungs it has reached
    std::vector<std::size_t> over;      // runs that do not go on
  };
  void aim(State& state, std::size_t target);
  void settle(State& state);
  bool reached_target(const State& state) const { return state.begun && state.to_start.empty() && state.training == 0; }
  bool send_on();
  std::vector<State> cells_;
  std::vector<std::int64_t> rungs_;
  LossAt loss_at_;
};

}  // namespace mha
