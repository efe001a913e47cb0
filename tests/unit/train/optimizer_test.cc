#include "train/optimizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "unit/model/model_testing.h"

namespace mha {
namespace {

using testing::random_tensor;

/// One weight by the book (Kingma and Ba, 2015, algorithm 1; Loshchilov and Hutter, 2019, algorithm 2), in double.
struct Book {
  double weight, first = 0, second = 0;
  void step(const OptimizerConfig& config, int t, double lr, double gradient) {
    const bool decoupled = config.name == OptimizerName::adamw;
    const double decay = config.weight_decay * weight;
    if (!decoupled) gradient += decay;
    first = config.betas[0] * first + (1 - config.betas[0]) * gradient;
    second = config.betas[1] * second + (1 - config.betas[1]) * gradient * gradient;
    const double m = first / (1 - std::pow(config.betas[0], t)), v = second / (1 - std::pow(config.betas[1], t));
    weight -= lr * (m / (std::sqrt(v) + config.eps) + (decoupled ? decay : 0));
  }
};

TEST(Optimizer, FollowsTheBook) {
  for (const OptimizerName name : {OptimizerName::adam, OptimizerName::adamw}) {
    OptimizerConfig config;
    config.name = name;
    config.betas = {0.5, 0.6};
    config.eps = 1e-3;
    config.weight_decay = 0.1;
    ParameterStore parameters(1);
    const at::Tensor a = parameters.add("a", {3, 7}, Init::normal(1)), b = parameters.add("b", {2}, Init::ones());
    parameters.flatten(at::kCPU);
    Optimizer optimizer(config, parameters);
    std::vector<Book> books;
    for (const auto& parameter : parameters.all()) {
      const at::Tensor flat = parameter.value.detach().flatten();
      for (std::int64_t i = 0; i < flat.numel(); ++i) books.push_back({flat[i].item<double>()});
    }
    for (int t = 1; t <= 5; ++t) {
      const double lr = 0.1 / t, scale = 0.25;
      a.mutable_grad().copy_(random_tensor({3, 7}, static_cast<std::uint64_t>(t)));
      b.mutable_grad().copy_(random_tensor({2}, static_cast<std::uint64_t>(10 + t)));
      optimizer.step(t, lr, scale);
      std::size_t number = 0;
      for (const at::Tensor& parameter : {a, b}) {
        const at::Tensor flat = parameter.detach().flatten(), gradient = parameter.grad().flatten();
        for (std::int64_t i = 0; i < flat.numel(); ++i, ++number) {
          books[number].step(config, t, lr, gradient[i].item<double>() * scale);
          ASSERT_NEAR(flat[i].item<double>(), books[number].weight, 2e-6) << to_string(name) << ", step " << t;
        }
      }
    }
    EXPECT_NEAR(parameters.view_like(optimizer.first_moment(), 1)[0].item<double>(), books[21].first, 1e-6);
    EXPECT_NEAR(parameters.view_like(optimizer.second_moment(), 1)[1].item<double>(), books[22].second, 1e-6);
    EXPECT_EQ(optimizer.bytes(), 2 * 4 * parameters.flat_values().numel());
  }
}

}  // namespace
}  // namespace mha
