#pragma once

#include <cstddef>
#include <functional>

namespace mha {

/// Calls work(item, worker) once for every item in [0, items), handed out in rising order to `workers` threads (at
/// least one), of which the caller's is the first. Further threads flush denormals. The first exception stops the
/// handing out and is thrown again here when all have ended.
void for_each_item(std::size_t items, std::size_t workers,
                   const std::function<void(std::size_t item, std::size_t worker)>& work);

}  // namespace mha
