// report_samples DIR: writes files of every format of this folder into DIR, for programs in other languages to read.
#include <cstdio>
#include <filesystem>
#include <vector>

#include "base/file.h"
#include "report/events.h"
#include "report/safetensors.h"
#include "unit/report/sample_report.h"

namespace {

void write_tensors(const std::filesystem::path& file) {
  const std::vector<float> weights = {1.5F, -2.0F, 0.25F, 3.0F, 0.0F, -0.5F};
  const std::vector<std::uint8_t> state = {1, 2, 255};
  const std::vector<std::int64_t> counts = {-1, 4'000'000'000};
  const std::uint16_t half = 0x3FC0;  // 1.5 in bf16
  const std::vector<mha::TensorBytes> tensors = {{"state", "U8", {3}, state.data(), 3},
                                                 {"layer.weight", "F32", {2, 3}, weights.data(), 24},
                                                 {"scalar", "BF16", {}, &half, 2},
                                                 {"counts", "I64", {2}, counts.data(), 16},
                                                 {"empty", "F32", {0, 4}, nullptr, 0}};
  mha::write_safetensors(file, tensors, {{"format", "pt"}, {"config", R"({"d_model": 64})"}});
}

void write_events(const std::filesystem::path& file) {
  mha::EventLog log(file);
  log.write(mha::RunStart{.version = "0.1.0", .commit = "", .config_hash = "", .seed = 1, .num_params = 10});
  for (const auto& point : mha::sample_report().training.curve) log.write(point);
  log.write(mha::SkippedUpdate{.num_updates = 3, .epoch = 1, .reason = "bad byte \xFF"});
  log.write(mha::RunEnd{.status = mha::RunStatus::diverged, .reason = "the loss", .num_updates = 1200});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: report_samples DIR\n", stderr);
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  mha::write_report(mha::sample_report(), folder / "full.json");
  mha::write_report(mha::RunReport{}, folder / "empty.json");
  mha::write_file(folder / "schema.json", mha::dump_json(mha::report_schema()));
  mha::write_file(folder / "report.md", mha::report_markdown());
  write_events(folder / "events.jsonl");
  write_tensors(folder / "tensors.safetensors");
  return 0;
}
