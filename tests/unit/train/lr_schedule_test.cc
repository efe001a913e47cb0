#include "train/lr_schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/json.h"

namespace mha {
namespace {

OptimizerConfig config_of(Schedule schedule, std::int64_t warmup) {
  OptimizerConfig config;
  config.lr = 0.01;
  config.lr_scheduler = schedule;
  config.warmup_updates = warmup;
  return config;
}

double rate(const OptimizerConfig& config, std::int64_t update) { return learning_rate(config, update, 512, 100); }

TEST(LearningRate, NoamNumbers) {
  const json numbers = read_json(std::filesystem::path(MHA_TEST_DATA) / "numeric/numbers.json").at("noam");
  OptimizerConfig config = config_of(Schedule::noam, numbers.at("warmup").get<std::int64_t>());
  config.lr = 1;
  for (const auto& [update, expected] : numbers.at("lr_at_update").items()) {
    const double lr =
        learning_rate(config, std::stoll(update), numbers.at("d_model").get<std::int64_t>(), std::nullopt);
    EXPECT_NEAR(lr, expected.get<double>(), 1e-9 * expected.get<double>()) << update;
  }
}

TEST(LearningRate, IsPositiveAndFiniteFromTheFirstUpdate) {
  for (const Schedule schedule : {Schedule::noam, Schedule::inverse_sqrt, Schedule::cosine, Schedule::constant}) {
    for (const std::int64_t warmup : {0, 1, 10}) {
      for (const std::int64_t cooldown : {0, 7}) {
        OptimizerConfig config = config_of(schedule, warmup);
        config.cooldown_updates = cooldown;
        config.min_lr = 1e-5;
        for (std::int64_t update = 1; update <= 100; ++update) {
          const double lr = rate(config, update);
          EXPECT_TRUE(std::isfinite(lr) && lr > 0)
              << to_string(schedule) << ", warm-up " << warmup << ", update " << update;
          EXPECT_LE(lr, config.lr);
        }
      }
    }
  }
}

TEST(LearningRate, WarmsUpInALine) {
  OptimizerConfig config = config_of(Schedule::inverse_sqrt, 10);
  EXPECT_DOUBLE_EQ(rate(config, 1), 0.001);
  EXPECT_DOUBLE_EQ(rate(config, 5), 0.005);
  EXPECT_DOUBLE_EQ(rate(config, 10), 0.01);
  config.warmup_init_lr = 0.002;
  EXPECT_DOUBLE_EQ(rate(config, 5), 0.006);
}

TEST(LearningRate, DecaysAsNamed) {
  EXPECT_DOUBLE_EQ(rate(config_of(Schedule::inverse_sqrt, 10), 40), 0.005);
  EXPECT_DOUBLE_EQ(rate(config_of(Schedule::inverse_sqrt, 0), 25), 0.002);
  EXPECT_DOUBLE_EQ(rate(config_of(Schedule::constant, 10), 90), 0.01);
  EXPECT_DOUBLE_EQ(rate(config_of(Schedule::noam, 0), 4), 0.01 / std::sqrt(512.0) / 2);
  OptimizerConfig cosine = config_of(Schedule::cosine, 20);
  cosine.min_lr = 0.002;
  EXPECT_DOUBLE_EQ(rate(cosine, 20), 0.01);
  EXPECT_NEAR(rate(cosine, 60), 0.006, 1e-12);
  EXPECT_NEAR(rate(cosine, 40), 0.002 + 0.008 * 0.5 * (1 + std::sqrt(0.5)), 1e-12);
  EXPECT_NEAR(rate(cosine, 100), 0.002, 1e-12);
}

TEST(LearningRate, CoolsDownAtTheEndOnly) {
  OptimizerConfig config = config_of(Schedule::constant, 0);
  config.cooldown_updates = 3;
  EXPECT_DOUBLE_EQ(rate(config, 97), 0.01);
  EXPECT_DOUBLE_EQ(rate(config, 98), 0.0075);
  EXPECT_DOUBLE_EQ(rate(config, 99), 0.005);
  EXPECT_DOUBLE_EQ(rate(config, 100), 0.0025);
  EXPECT_DOUBLE_EQ(learning_rate(config, 100, 512, std::nullopt), 0.01);  // no end in sight
}

}  // namespace
}  // namespace mha
