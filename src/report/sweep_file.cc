#include "report/sweep_file.h"

#include "base/error.h"
#include "base/file.h"
#include "report/field_json.h"
#include "report/field_schema.h"

namespace mha {

json sweep_to_json(const SweepFile& sweep) {
  json out = {{kFormatKey, kSweepFormat}, {kFormatVersionKey, kSweepFormatVersion}};
  out.update(field_to_json(sweep));
  return out;
}

SweepFile sweep_from_json(const json& in, const std::string& origin) {
  if (!in.is_object() || !in.contains(kFormatKey) || in[kFormatKey] != kSweepFormat) {
    throw UserError(origin + ": not the file of a sweep (\"format\" is not \"" + kSweepFormat + "\")");
  }
  const json version = in.contains(kFormatVersionKey) ? in[kFormatVersionKey] : json(nullptr);
  if (version != kSweepFormatVersion) {
    throw UserError(origin + ": the sweep has format_version " + dump_json(version) + ", this program reads " +
                    std::to_string(kSweepFormatVersion) + ": use the mha-train that made it");
  }
  json fields = in;
  fields.erase(kFormatKey);
  fields.erase(kFormatVersionKey);
  SweepFile sweep;
  field_from_json(fields, {.origin = origin, .path = ""}, sweep);
  return sweep;
}

void write_sweep(const SweepFile& sweep, const std::filesystem::path& file) {
  write_file(file, dump_json(sweep_to_json(sweep)) + "\n");
}

SweepFile read_sweep(const std::filesystem::path& file) { return sweep_from_json(read_json(file), file.string()); }

json sweep_schema() {
  return file_schema<SweepFile>(
      {.title = "A sweep of mha-train", .format = kSweepFormat, .version = kSweepFormatVersion});
}

}  // namespace mha
