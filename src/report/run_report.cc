#include "report/run_report.h"

#include "base/error.h"
#include "base/file.h"
#include "report/field_json.h"

namespace mha {
namespace {

/// The version, one that this program reads.
std::int64_t check_format(const json& in, const std::string& origin) {
  if (!in.is_object() || !in.contains(kFormatKey) || in[kFormatKey] != kReportFormat) {
    throw UserError(origin + ": not a report of mha-train (\"format\" is not \"" + kReportFormat + "\")");
  }
  const json version = in.contains(kFormatVersionKey) ? in[kFormatVersionKey] : json(nullptr);
  if (version.is_number_integer() && version >= kOldestReportFormatVersion && version <= kReportFormatVersion)
    return version;
  const std::string says = origin + ": the report has format_version " + dump_json(version) + ", this program reads " +
                           std::to_string(kOldestReportFormatVersion) + " to " + std::to_string(kReportFormatVersion);
  if (version.is_number() && version > kReportFormatVersion) throw UserError(says + ": use a newer mha-train");
  throw UserError(says + "; no version with that number was ever published: make the report again");
}

}  // namespace

json report_to_json(const RunReport& report) {
  json out = {{kFormatKey, kReportFormat}, {kFormatVersionKey, kReportFormatVersion}};
  out.update(field_to_json(report));
  return out;
}

RunReport report_from_json(const json& in, const std::string& origin) {
  const bool older = check_format(in, origin) < kReportFormatVersion;
  json fields = in;
  fields.erase(kFormatKey);
  fields.erase(kFormatVersionKey);
  RunReport report;
  field_from_json(fields, {.origin = origin, .path = "", .may_lack_keys = older}, report);
  return report;
}

void write_report(const RunReport& report, const std::filesystem::path& file) {
  write_file(file, dump_json(report_to_json(report)) + "\n");
}

RunReport read_report(const std::filesystem::path& file) { return report_from_json(read_json(file), file.string()); }

}  // namespace mha
