#include "train/weights_file.h"

#include <ATen/Functions.h>

#include <cstring>

#include "base/error.h"

namespace mha {
namespace {

std::string shape_text(at::IntArrayRef shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& why) {
  throw UserError("cannot load " + path.string() + ": " + why);
}

/// The first place where two JSON values differ, as "path: a against b".
std::string first_difference(const json& file, const json& wanted, const std::string& path) {
  if (!file.is_object() || !wanted.is_object()) {
    return file == wanted ? "" : path + " is " + file.dump() + " in the file and " + wanted.dump() + " in this run";
  }
  json keys = wanted;
  keys.update(file);  // a key that only one side has is a difference too
  for (const auto& [key, unused] : keys.items()) {
    const std::string here = path.empty() ? key : path + "." + key;
    const std::string difference =
        first_difference(file.value(key, json(nullptr)), wanted.value(key, json(nullptr)), here);
    if (!difference.empty()) return difference;
  }
  return "";
}

std::string metadata_value(const SafetensorsFile& file, const char* key) {
  const auto found = file.metadata().find(key);
  return found == file.metadata().end() ? std::string() : found->second;
}

/// Without the hashes of the vocabularies if the file, made before they were written, has none.
json expected_by(const json& file_model, json expected) {
  for (const char* key : {kSourceVocabularyHash, kTargetVocabularyHash}) {
    if (!file_model.is_object() || !file_model.contains(key)) expected.erase(key);
  }
  return expected;
}

void check_metadata(const SafetensorsFile& file, const std::filesystem::path& path, const json& expected_model) {
  const auto value = [&](const char* key) { return metadata_value(file, key); };
  const std::string format = value("format");
  if (format != kWeightsFormat && format != kStateFormat) refuse(path, "it is not a checkpoint of mha-train");
  if (value("format_version") != kCheckpointVersion) {
    refuse(path,
           "its format version is " + value("format_version") + "; this program reads version " + kCheckpointVersion);
  }
  const json model = parse_json(value("model"), path.string());
  const std::string difference = first_difference(model, expected_by(model, expected_model), "");
  if (!difference.empty()) refuse(path, "it holds another model: " + difference);
}

}  // namespace

std::int64_t update_of(const SafetensorsFile& file, const std::filesystem::path& path) {
  const std::string text = metadata_value(file, "update");
  const bool number = !text.empty() && text.size() <= 18 && text.find_first_not_of("0123456789") == std::string::npos;
  if (!number) refuse(path, "its metadata do not say after which update it was made");
  return std::stoll(text);
}

json model_identity(const json& resolved_config, std::int64_t source_vocab, std::int64_t target_vocab) {
  return {{"model", resolved_config.at("model")},
          {"attention", resolved_config.at("attention")},
          {"source_vocab", source_vocab},
          {"target_vocab", target_vocab}};
}

void append_tensors(const ParameterStore& parameters, const at::Tensor& flat, const std::string& prefix,
                    std::vector<TensorBytes>& out) {
  for (std::size_t i = 0; i < parameters.all().size(); ++i) {
    const at::Tensor view = parameters.view_like(flat, i);
    out.push_back({prefix + parameters.all()[i].name, "F32", view.sizes().vec(), view.const_data_ptr(), view.nbytes()});
  }
}

void write_weights(const std::filesystem::path& path, const ParameterStore& parameters, const at::Tensor& flat,
                   const WeightsInfo& info) {
  const at::Tensor on_cpu = flat.cpu();
  std::vector<TensorBytes> tensors;
  append_tensors(parameters, on_cpu, "", tensors);
  write_safetensors(path, tensors,
                    {{"format", kWeightsFormat},
                     {"format_version", kCheckpointVersion},
                     {"model", dump_json(info.model, -1)},
                     {"update", std::to_string(info.update)}});
}

void read_tensors(const SafetensorsFile& file, const std::filesystem::path& path, const std::string& prefix,
                  const ParameterStore& parameters, at::Tensor& flat) {
  at::Tensor loaded = flat.cpu();
  for (std::size_t i = 0; i < parameters.all().size(); ++i) {
    const std::string name = prefix + parameters.all()[i].name;
    const TensorBytes& stored = file.tensor(name);
    const at::Tensor view = parameters.view_like(loaded, i);
    if (view.sizes() != at::IntArrayRef(stored.shape) || stored.dtype != "F32") {
      refuse(path, name + " is " + stored.dtype + " " + shape_text(stored.shape) + ", the model needs F32 " +
                       shape_text(view.sizes()));
    }
    std::memcpy(view.mutable_data_ptr(), stored.data, stored.bytes);
  }
  if (!loaded.is_same(flat)) flat.copy_(loaded);
}

void read_weights(const SafetensorsFile& file, const std::filesystem::path& path, const json& expected_model,
                  ParameterStore& parameters) {
  check_metadata(file, path, expected_model);
  std::size_t weights = 0;
  for (const auto& tensor : file.tensors()) weights += tensor.name.starts_with("optimizer.") ? 0 : 1;
  if (weights > parameters.all().size()) refuse(path, "it has tensors that the model does not have");
  read_tensors(file, path, "", parameters, parameters.flat_values());
}

WeightsInfo read_weights(const std::filesystem::path& path, const json& expected_model, ParameterStore& parameters) {
  const SafetensorsFile file(path);
  read_weights(file, path, expected_model, parameters);
  return {expected_model, update_of(file, path)};
}

void average_weights(std::span<const std::filesystem::path> files, const json& expected_model,
                     const ParameterStore& parameters, at::Tensor& flat) {
  at::Tensor sum = at::zeros_like(flat, at::TensorOptions(at::kDouble).device(at::kCPU));
  at::Tensor one = at::zeros_like(flat, at::TensorOptions(at::kFloat).device(at::kCPU));
  for (const auto& path : files) {
    const SafetensorsFile file(path);
    check_metadata(file, path, expected_model);
    read_tensors(file, path, "", parameters, one);
    sum.add_(one);
  }
  flat.copy_(sum.div_(static_cast<double>(files.size())));
}

}  // namespace mha
