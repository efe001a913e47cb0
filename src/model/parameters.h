#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace mha {

/// How a parameter starts. Values depend on the run's seed and the parameter's name only, so a place that changes does
/// not move the start of the others.
struct Init {
  enum class Kind { zeros, ones, uniform, normal };
  Kind kind = Kind::zeros;
  double scale = 0;  // uniform: in [-scale, scale); normal: standard deviation

  static Init zeros() { return {Kind::zeros, 0}; }
  static Init ones() { return {Kind::ones, 0}; }
  static Init normal(double deviation) { return {Kind::normal, deviation}; }
  /// Uniform with variance gain^2 * 2 / (fan_in + fan_out) (Glorot and Bengio, 2010).
  static Init xavier(std::int64_t fan_in, std::int64_t fan_out, double gain = 1.0);
};

struct Parameter {
  std::string name;  // "encoder.layers.0.self_attn.w_q"
  at::Tensor value;
};

/// All parameters of a model, in the order in which they were added, each once however often it is used. After
/// flatten() values and gradients lie in one buffer each, of which the parameters are views: the optimizer, the norm of
/// the gradient and a later reduction over processes are single passes.
class ParameterStore {
 public:
  explicit ParameterStore(std::uint64_t seed) : seed_(seed) {}
  ParameterStore(const ParameterStore&) = delete;
  ParameterStore& operator=(const ParameterStore&) = delete;

  at::Tensor add(const std::string& name, at::IntArrayRef shape, const Init& init);
  /// Moves values and gradients (zeros) into the two buffers. May be called again, to change device or type.
  void flatten(at::Device device, at::ScalarType type = at::kFloat);
  /// Lets the values be those of another store of the same layout, from now on the same memory; gradients stay apart.
  void share_values(const ParameterStore& other);

  const std::vector<Parameter>& all() const { return parameters_; }
  /// Throws std::out_of_range.
  const at::Tensor& get(const std::string& name) const;
  std::int64_t count() const;

  /// fp32 (double in tests), with zeros between parameters so that each starts at a 64-byte boundary.
  at::Tensor& flat_values() { return flat_values_; }
  at::Tensor& flat_gradients() { return flat_gradients_; }
  const at::Tensor& flat_values() const { return flat_values_; }
  const at::Tensor& flat_gradients() const { return flat_gradients_; }
  void zero_gradients();
  /// A view like parameter `index` of a flat buffer of the same layout (optimizer moments).
  at::Tensor view_like(const at::Tensor& flat, std::size_t index) const;

 private:
  std::uint64_t seed_;
  std::vector<Parameter> parameters_;
  std::vector<std::int64_t> offsets_;
  at::Tensor flat_values_, flat_gradients_;
};

/// A store with a name prefix, handed down while a model is built.
class ParameterScope {
 public:
  explicit ParameterScope(ParameterStore& store, std::string prefix = "")
      : store_(&store), prefix_(std::move(prefix)) {}
  ParameterScope sub(const std::string& name) const { return ParameterScope(*store_, prefix_ + name + "."); }
  at::Tensor add(const std::string& name, at::IntArrayRef shape, const Init& init) const {
    return store_->add(prefix_ + name, shape, init);
  }

 private:
  ParameterStore* store_;
  std::string prefix_;
};

}  // namespace mha
