#include "model/parameters.h"

#include <ATen/Functions.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "base/random.h"

namespace mha {
namespace {

constexpr std::int64_t alignment = 16;  // floats: 64 bytes

std::uint64_t name_key(const std::string& name) {
  std::uint64_t key = 0xcbf29ce484222325ULL;
  for (const char c : name) key = mix64(key ^ static_cast<unsigned char>(c));
  return key;
}

void fill(at::Tensor& tensor, const Init& init, std::uint64_t key) {
  float* at = tensor.data_ptr<float>();
  const std::int64_t n = tensor.numel();
  RandomStream random(key);
  switch (init.kind) {
    case Init::Kind::zeros:
      tensor.zero_();
      return;
    case Init::Kind::ones:
      tensor.fill_(1);
      return;
    case Init::Kind::uniform:
      for (std::int64_t i = 0; i < n; ++i) at[i] = static_cast<float>(init.scale * (2 * random.uniform() - 1));
      return;
    case Init::Kind::normal:  // Box and Muller (1958)
      for (std::int64_t i = 0; i < n; ++i) {
        const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
        at[i] = static_cast<float>(init.scale * radius * std::cos(2 * std::numbers::pi * random.uniform()));
      }
      return;
  }
}

}  // namespace

Init Init::xavier(std::int64_t fan_in, std::int64_t fan_out, double gain) {
  return {Kind::uniform, gain * std::sqrt(6.0 / static_cast<double>(fan_in + fan_out))};
}

at::Tensor ParameterStore::add(const std::string& name, at::IntArrayRef shape, const Init& init) {
  for (const auto& parameter : parameters_) {
    if (parameter.name == name) throw std::logic_error("two parameters are named " + name);
  }
  at::Tensor value = at::empty(shape, at::kFloat);
  fill(value, init, derive_key({seed_, static_cast<std::uint64_t>(Stream::init), name_key(name)}));
  value.requires_grad_(true);
  parameters_.push_back({name, value});
  return value;
}

void ParameterStore::flatten(at::Device device, at::ScalarType type) {
  std::int64_t size = 0;
  offsets_.clear();
  for (const auto& parameter : parameters_) {
    offsets_.push_back(size);
    size += (parameter.value.numel() + alignment - 1) / alignment * alignment;
  }
  flat_values_ = at::zeros({size}, at::TensorOptions(type).device(device));
  flat_gradients_ = at::zeros_like(flat_values_);
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    at::Tensor& value = parameters_[i].value;
    const at::Tensor place = view_like(flat_values_, i);
    place.copy_(value.detach());
    value.set_data(place);
    value.mutable_grad() = view_like(flat_gradients_, i);
  }
}

void ParameterStore::share_values(const ParameterStore& other) {
  if (offsets_ != other.offsets_ || flat_values_.sizes() != other.flat_values_.sizes())
    throw std::logic_error("stores of different parameters cannot share values");
  flat_values_ = other.flat_values_;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    parameters_[i].value.set_data(view_like(flat_values_, i));
    parameters_[i].value.mutable_grad() = view_like(flat_gradients_, i);
  }
}

const at::Tensor& ParameterStore::get(const std::string& name) const {
  for (const auto& parameter : parameters_) {
    if (parameter.name == name) return parameter.value;
  }
  throw std::out_of_range("no parameter is named " + name);
}

std::int64_t ParameterStore::count() const {
  std::int64_t total = 0;
  for (const auto& parameter : parameters_) total += parameter.value.numel();
  return total;
}

void ParameterStore::zero_gradients() { flat_gradients_.zero_(); }

at::Tensor ParameterStore::view_like(const at::Tensor& flat, std::size_t index) const {
  const at::Tensor& value = parameters_[index].value;
  return flat.narrow(0, offsets_[index], value.numel()).view(value.sizes());
}

}  // namespace mha
