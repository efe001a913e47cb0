#include "train/lr_schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mha {
namespace {

double warmed_up(const OptimizerConfig& config, double update, double warmup, double total) {
  switch (config.lr_scheduler) {
    case Schedule::constant:
      return config.lr;
    case Schedule::inverse_sqrt:
      return config.lr * std::sqrt(std::max(1.0, warmup) / update);
    case Schedule::cosine: {
      const double progress = std::clamp((update - warmup) / std::max(1.0, total - warmup), 0.0, 1.0);
      return config.min_lr + (config.lr - config.min_lr) * 0.5 * (1 + std::cos(std::numbers::pi * progress));
    }
    case Schedule::noam:
      break;  // has a warm-up of its own
  }
  return config.lr;
}

}  // namespace

double learning_rate(const OptimizerConfig& config, std::int64_t update, std::int64_t d_model,
                     std::optional<std::int64_t> max_update) {
  const auto t = static_cast<double>(update);
  const auto warmup = static_cast<double>(config.warmup_updates);
  const double total = max_update ? static_cast<double>(*max_update) : 0;
  double lr = 0;
  if (config.lr_scheduler == Schedule::noam) {
    // Vaswani et al. (2017), equation 3; warm-up 0 leaves the decay alone.
    const double decay = std::pow(t, -0.5);
    lr = config.lr * std::pow(static_cast<double>(d_model), -0.5) *
         (warmup > 0 ? std::min(decay, t * std::pow(warmup, -1.5)) : decay);
  } else if (t < warmup) {
    lr = config.warmup_init_lr + (config.lr - config.warmup_init_lr) * t / warmup;
  } else {
    lr = warmed_up(config, t, warmup, total);
  }
  if (config.cooldown_updates > 0 && max_update) {
    // 1 before the cool-down, 1 / (n + 1) at the last of its n updates, so that none is wasted on a rate of 0.
    lr *= std::min(1.0, (total - t + 1) / static_cast<double>(config.cooldown_updates + 1));
  }
  return lr;
}

}  // namespace mha
