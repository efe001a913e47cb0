#include "analysis/pareto.h"

#include <algorithm>
#include <cmath>

namespace mha {
namespace {

bool is_known(const FrontPoint& point) { return std::isfinite(point.good) && std::isfinite(point.cost); }

bool dominates(const FrontPoint& a, const FrontPoint& b) {
  return a.good >= b.good && a.cost <= b.cost && (a.good > b.good || a.cost < b.cost);
}

template <class Cost>
void mark_front(std::vector<CellResult>& cells, const char* name, Cost cost) {
  std::vector<FrontPoint> points;
  for (const CellResult& cell : cells) points.push_back({cell.same_test ? cell.bleu.mean : kUnknown, cost(cell)});
  const std::vector<bool> on_front = pareto_front(points);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (on_front[i]) cells[i].fronts.emplace_back(name);
  }
}

double number(const std::optional<std::int64_t>& value) { return value ? static_cast<double>(*value) : kUnknown; }

}  // namespace

std::vector<bool> pareto_front(const std::vector<FrontPoint>& points) {
  std::vector<bool> on_front;
  for (const FrontPoint& point : points) {
    const auto beats = [&](const FrontPoint& other) { return is_known(other) && dominates(other, point); };
    on_front.push_back(is_known(point) && std::ranges::none_of(points, beats));
  }
  return on_front;
}

void mark_fronts(std::vector<CellResult>& cells) {
  mark_front(cells, "tokens/s",
             [](const CellResult& cell) { return cell.comparable && cell.same_vocabulary ? -cell.wps : kUnknown; });
  mark_front(cells, "parameters", [](const CellResult& cell) { return number(cell.parameters); });
  mark_front(cells, "memory",
             [](const CellResult& cell) { return cell.comparable ? number(cell.peak_resident_bytes) : kUnknown; });
}

}  // namespace mha
