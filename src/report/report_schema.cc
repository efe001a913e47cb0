#include <map>
#include <typeindex>
#include <utility>

#include "report/events.h"
#include "report/field_schema.h"
#include "report/run_folder.h"
#include "report/run_report.h"

namespace mha {
namespace {

/// What the Type column says.
template <class T>
std::string type_name() {
  if constexpr (is_optional_v<T>) {
    return type_name<typename T::value_type>() + " or null";
  } else if constexpr (is_list_v<T>) {
    return "list of " + type_name<typename T::value_type>() + "s";
  } else if constexpr (is_map_v<T>) {
    return "object of " + type_name<typename T::mapped_type>() + "s";
  } else if constexpr (std::same_as<T, double>) {
    return "number or null";
  } else if constexpr (std::same_as<T, std::int64_t>) {
    return "integer";
  } else if constexpr (std::same_as<T, bool>) {
    return "bool";
  } else if constexpr (std::same_as<T, std::string> || NamedEnum<T>) {
    return "text";
  } else {
    return "object";
  }
}

/// The struct inside an optional, list or map, and how its path goes on.
template <class T>
auto inner(const std::string& path) {
  if constexpr (is_list_v<T>) {
    return std::pair(std::type_identity<typename T::value_type>(), path + "[]");
  } else if constexpr (is_map_v<T>) {
    return std::pair(std::type_identity<typename T::mapped_type>(), path + ".*");
  } else if constexpr (is_optional_v<T>) {
    return std::pair(std::type_identity<typename T::value_type>(), path);
  } else {
    return std::pair(std::type_identity<T>(), path);
  }
}

/// Tables of fields in Markdown, one for each struct, the outer before the inner ones.
class FieldTables {
 public:
  template <class T>
  void add(const std::string& title, const std::string& path) {
    out_ += "\n### " + title + "\n\n";
    const auto [known, is_new] = documented_.try_emplace(typeid(T), path);
    if (!is_new) {
      out_ += "As `" + known->second + "`.\n";
      return;
    }
    out_ += "| key | type | unit | meaning |\n|---|---|---|---|\n";
    auto row = [&]<class S, class M>(M S::*, const std::string& key, const std::string& unit,
                                     const std::string& meaning) {
      out_ += "| `" + key + "` | " + type_name<M>() + " | " + unit + " | " + meaning + " |\n";
    };
    T::fields(row);
    auto nested = [&]<class S, class M>(M S::*, const std::string& key, auto&&...) {
      const auto [type, inner_path] = inner<M>(path.empty() ? key : path + "." + key);
      using Inner = typename decltype(type)::type;
      if constexpr (Section<Inner>) add<Inner>("`" + inner_path + "`", inner_path);
    };
    T::fields(nested);
  }
  template <std::size_t... I>
  void add_events(std::index_sequence<I...>) {
    (add<std::variant_alternative_t<I, EventBody>>("`" + to_string(static_cast<EventKind>(I)) + "`", ""), ...);
  }
  const std::string& text() const { return out_; }

 private:
  std::string out_;
  std::map<std::type_index, std::string> documented_;
};

constexpr const char* kIntroduction = R"(# What a run leaves behind

Generated from the tables in src/report: `mha-train report docs > docs/report.md`. `mha-train report show DIR` prints
the essence of a report, `mha-train report schema` its JSON Schema (draft 2020-12).

## The run folder

| path | content |
|---|---|
| `config.json` | the configuration as resolved |
| `vocab.*.model` | the vocabularies: `joint`, or `source` and `target` |
| `events.jsonl` | what happened, as it happened |
| `checkpoints/` | safetensors files: training states, the best weights, those for the average |
| `hypotheses/` | translations of the test split, one line a source line |
| `report.json` | the report, written at the end, also of an interrupted or diverged run |
| `lock` | held while a process trains here |

A run is the same run as long as the resolved configuration is the same but for the keys below; `config_hash` and the
folder's default name `runs/NAME-HASH` are made from the others. Started again, a finished run changes nothing, a half
done one is resumed with `--resume`, and one of another configuration is refused with the keys that differ.

| key | why it does not count |
|---|---|
)";

constexpr const char* kReportText = R"(
## report.json

Strict JSON. Every key is always there. A number that is not known or not finite is null (a perplexity that overflows,
a loss after divergence), so every reader must take null; a check against a threshold must treat null as failed. Losses
are natural logarithms (base e) per target token: EOS counts, padding does not. Times are UTC.

`format` is "mha-train/report". `format_version` is an integer that grows whenever a key is added, removed or changes
its meaning; a reader refuses versions that it does not know. Older reports are still read: version 2 lacks
`test.source_hash` and `test.reference_hash`, version 1 also `attention[].path`, `data.*.repaired`, `test.truncated` and
`test.decode_*`.
)";

constexpr const char* kEventsText = R"(
## events.jsonl

One JSON object a line: `event`, `time` (UTC) and the keys of the event. A run that is killed can leave half a line at
the end, which readers leave out. A resumed run first cuts the file back to where its checkpoint was made, so that it
ends with the events of a run that was never stopped.
)";

}  // namespace

json report_schema() {
  return file_schema<RunReport>({.title = "Report of an mha-train run",
                                 .format = kReportFormat,
                                 .version = kReportFormatVersion});
}

std::string report_markdown() {
  std::string out = kIntroduction;
  for (const auto& key : neutral_keys()) {
    out += "| `" + std::string(key.path) + "` | " + std::string(key.why) + " |\n";
  }
  FieldTables report;
  report.add<RunReport>("The top level", "");
  const std::size_t report_end = report.text().size();
  report.add_events(std::make_index_sequence<std::variant_size_v<EventBody>>());
  return out + kReportText + report.text().substr(0, report_end) + kEventsText + report.text().substr(report_end);
}

}  // namespace mha
