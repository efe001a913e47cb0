#include <cmath>
#include <set>

#include "base/text.h"
#include "config/layers.h"
#include "config/reader.h"
#include "config/tree.h"
#include "unit/config/config_testing.h"

// What must hold for every key of every configuration struct, found by walking the tables from FileConfig down. A new
// key is tested by being there.
namespace mha {
namespace {

using ::testing::HasSubstr;

/// A key with values of its type that must be taken, and others that must not.
struct KeyCase {
  std::string path, doc;
  json default_value;
  std::vector<json> good, bad;
};

void PrintTo(const KeyCase& key, std::ostream* out) { *out << key.path; }

template <class T>
struct Samples;

template <>
struct Samples<bool> {
  static std::vector<json> good(const Rule&) { return {true, false}; }
  static std::vector<json> bad(const Rule&) { return {1, 0, "true", nullptr, json::array(), json::object()}; }
};

/// Values at the bounds, and just outside.
struct Numbers {
  static std::vector<json> good(const Rule& rule, double step) {
    const double low = std::isfinite(rule.min) ? rule.min : -1;
    const double high = std::isfinite(rule.max) ? rule.max : low + 1000;
    return {low + (rule.min_excluded ? step : 0), high - (rule.max_excluded ? step : 0)};
  }
  static std::vector<json> bad(const Rule& rule) {
    std::vector<json> values = {true, "4", nullptr, json::array({1}), json::object()};
    if (std::isfinite(rule.min)) values.push_back(rule.min_excluded ? rule.min : rule.min - 1);
    if (std::isfinite(rule.max)) values.push_back(rule.max_excluded ? rule.max : rule.max + 1);
    return values;
  }
};

template <>
struct Samples<double> {
  static std::vector<json> good(const Rule& rule) { return Numbers::good(rule, 1e-6); }
  static std::vector<json> bad(const Rule& rule) { return Numbers::bad(rule); }
};

template <>
struct Samples<std::int64_t> {
  static std::vector<json> good(const Rule& rule) { return Numbers::good(rule, 1); }
  static std::vector<json> bad(const Rule& rule) {
    std::vector<json> values = Numbers::bad(rule);
    values.insert(values.end(), {rule.min + 0.5, 1e300, 9223372036854775808ULL});
    return values;
  }
};

template <>
struct Samples<std::string> {
  static std::vector<json> good(const Rule&) { return {"", "some text", "ü"}; }
  static std::vector<json> bad(const Rule&) { return {1, true, nullptr, json::array({"x"}), json::object()}; }
};

template <>
struct Samples<std::filesystem::path> : Samples<std::string> {};

template <class T>
struct Samples<std::vector<T>> {
  static std::vector<json> good(const Rule& rule) {
    json list = json::array();
    for (const json& value : Samples<T>::good(rule)) list.push_back(value);
    return {json::array(), list};
  }
  static std::vector<json> bad(const Rule& rule) {
    std::vector<json> values = {1, true, nullptr, json::object()};
    for (const json& value : Samples<T>::bad(rule)) values.push_back(json::array({value}));
    return values;
  }
};

template <class T>
struct Samples<std::optional<T>> {
  static std::vector<json> good(const Rule& rule) {
    std::vector<json> values = Samples<T>::good(rule);
    values.emplace_back(nullptr);
    return values;
  }
  static std::vector<json> bad(const Rule& rule) {
    std::vector<json> values = Samples<T>::bad(rule);
    std::erase(values, json(nullptr));
    return values;
  }
};

template <class T>
struct Samples<ValueOrWord<T>> {
  static std::vector<json> good(const Rule& rule) {
    std::vector<json> values = Samples<T>::good(rule);
    values.insert(values.end(), rule.words.begin(), rule.words.end());
    return values;
  }
  static std::vector<json> bad(const Rule& rule) { return Samples<T>::bad(rule); }
};

template <>
struct Samples<GridAxes> {
  static std::vector<json> good(const Rule&) {
    return {json::object(), {{"h", {1, 2}}, {"d_k", "16..64+16"}, {"model.norm", json::array({"pre"})}}};
  }
  static std::vector<json> bad(const Rule&) {
    const json none = json::array();
    return {1, "h=1", nullptr, json::array({1}), {{"h", 1}}, {{"h", none}}, {{"h", ""}}, {{"h", json::object()}}};
  }
};

template <>
struct Samples<GridPoints> {
  static std::vector<json> good(const Rule&) {
    return {json::array(), json::array({json{{"h", 1}}, json{{"name", "x"}, {"optimizer.betas", {0.1, 0.2}}}})};
  }
  static std::vector<json> bad(const Rule&) {
    return {1, "h=1", nullptr, {{"h", 1}}, json::array({1}), json::array({json::object()})};
  }
};

template <NamedEnum E>
struct Samples<E> {
  static std::vector<json> good(const Rule&) {
    const auto names = enum_names(E{});
    return {names.begin(), names.end()};
  }
  static std::vector<json> bad(const Rule&) {
    return {"no such word", "", 0, true, nullptr, json::array(), json::object()};
  }
};

template <Section S>
void collect(const std::string& path, std::vector<KeyCase>& cases);

template <Section S>
struct CaseVisitor {
  const std::string& path;
  std::vector<KeyCase>& cases;
  S defaults = {};

  template <class T, class C>
  void operator()(T C::*member, const char* key, const Rule& rule, const char* doc) {
    const std::string inner = join_path(path, key);
    if constexpr (Section<T>) {
      EXPECT_GT(std::string(doc).size(), 5U) << inner;
      collect<T>(inner, cases);
    } else if constexpr (requires { (defaults.*member).patch; }) {
      EXPECT_GT(std::string(doc).size(), 5U) << inner;
      EXPECT_TRUE((defaults.*member).patch.empty()) << inner << ": nothing is overridden by default";
    } else {
      cases.push_back(
          {inner, doc, ValueType<T>::write(defaults.*member), Samples<T>::good(rule), Samples<T>::bad(rule)});
    }
  }
};

template <Section S>
void collect(const std::string& path, std::vector<KeyCase>& cases) {
  CaseVisitor<S> visitor{path, cases};
  S::fields(visitor);
}

std::vector<KeyCase> all_keys() {
  std::vector<KeyCase> cases;
  collect<FileConfig>("", cases);
  collect<AttentionSettings>("attention.cross", cases);
  collect<AttentionSettings>("attention.encoder_self.layers.1", cases);
  return cases;
}

json nested(const std::string& path, json value) {
  auto keys = split(path, '.');
  for (auto key = keys.rbegin(); key != keys.rend(); ++key) {
    json outer = json::object();
    outer[*key] = std::move(value);
    value = std::move(outer);
  }
  return value;
}

const json& at_path(const json& value, const std::string& path) {
  const json* at = &value;
  for (const auto& key : split(path, '.')) at = &at->at(key);
  return *at;
}

/// The problems of reading `values` over the defaults; the configuration in `config`.
Problems read_all(const json& values, FileConfig& config) {
  Layers layers;
  layers.lay(values, {.label = "here", .folder = {}, .text = ""});
  Problems problems;
  ProblemList list(layers, problems);
  read_section(layers.values(), "", list, config);
  return problems;
}
Problems read_at(const std::string& path, const json& value, FileConfig& config) {
  return read_all(nested(path, value), config);
}

class EveryKey : public ::testing::TestWithParam<KeyCase> {};

TEST_P(EveryKey, IsDocumentedInASentence) {
  const std::string& doc = GetParam().doc;
  EXPECT_GE(doc.size(), 10U);
  EXPECT_EQ(doc.back(), '.');
  EXPECT_EQ(doc.find('\n'), std::string::npos);
}

TEST_P(EveryKey, HasADefaultThatItsOwnRuleAllows) {
  FileConfig config;
  EXPECT_TRUE(read_at(GetParam().path, GetParam().default_value, config).empty());
}

TEST_P(EveryKey, TakesTheValuesOfItsTypeAndKeepsThem) {
  for (const json& value : GetParam().good) {
    FileConfig config;
    ASSERT_TRUE(read_at(GetParam().path, value, config).empty()) << value;
    const json written = section_to_json(config);
    EXPECT_EQ(at_path(written, GetParam().path), value);
    FileConfig again;
    EXPECT_TRUE(read_all(parse_json(dump_json(written), "the dump"), again).empty());
    EXPECT_EQ(again, config) << value;
    EXPECT_EQ(config_from_json(config_to_json(config), "the resolved form"), static_cast<const RunConfig&>(config));
  }
}

TEST_P(EveryKey, RefusesEverythingElseWithItsPath) {
  for (const json& value : GetParam().bad) {
    FileConfig config;
    const Problems problems = read_at(GetParam().path, value, config);
    ASSERT_EQ(problems.size(), 1U) << value;
    EXPECT_EQ(problems[0].path, GetParam().path);
    EXPECT_EQ(problems[0].origin, "here");
    EXPECT_THAT(problems[0].message, HasSubstr("must be ")) << value;
  }
}

TEST_P(EveryKey, IsRefusedWhenMisspeltWithAHint) {
  FileConfig config;
  const Problems problems = read_at(GetParam().path + "x", GetParam().default_value, config);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].path, GetParam().path + "x");
  EXPECT_EQ(problems[0].message, "unknown key");
  EXPECT_EQ(problems[0].suggestion, "did you mean " + split(GetParam().path, '.').back() + "?");
}

INSTANTIATE_TEST_SUITE_P(Config, EveryKey, ::testing::ValuesIn(all_keys()), [](const auto& tested) {
  std::string name = tested.param.path;
  std::ranges::replace(name, '.', '_');
  return name;
});

TEST(ConfigContract, EveryKeyStandsInSchemaAndDocs) {
  const json schema = config_schema();
  const std::string docs = config_markdown();
  std::vector<KeyCase> cases;
  collect<FileConfig>("", cases);
  EXPECT_GT(cases.size(), 70U);
  for (const KeyCase& key : cases) {
    const json* at = &schema;
    for (const auto& part : split(key.path, '.')) at = &at->at("properties").at(part);
    EXPECT_EQ(at->at("description"), key.doc) << key.path;
    EXPECT_EQ(at->at("default"), key.default_value) << key.path;
    EXPECT_THAT(docs, HasSubstr("| `" + split(key.path, '.').back() + "` |")) << key.path;
    EXPECT_THAT(docs, HasSubstr(key.doc)) << key.path;
  }
}

TEST(ConfigContract, NoKeyStandsTwiceInATable) {
  const std::function<void(const std::vector<KeyInfo>&)> walk = [&](const std::vector<KeyInfo>& keys) {
    std::set<std::string> seen;
    for (const KeyInfo& info : keys) {
      EXPECT_TRUE(seen.insert(info.key).second) << info.key;
      EXPECT_EQ(info.key.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), std::string::npos) << info.key;
      walk(info.keys);
    }
  };
  walk(config_tree());
}

}  // namespace
}  // namespace mha
