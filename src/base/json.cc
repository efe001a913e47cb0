#include "base/json.h"

#include <algorithm>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

namespace mha {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
/// Far above any configuration or report; keeps the recursive walks of untrusted input off the end of the stack.
constexpr std::size_t max_depth = 200;

/// Of the repeated keys so many are named.
constexpr std::size_t most_repeated = 20;

/// "line 3, column 7" of a byte offset; columns count bytes from 1.
std::string place(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return "line " + std::to_string(line) + ", column " + std::to_string(at - line_start + 1);
}

/// Builds the value as the library's own parser does, but refuses repeated keys, all at once, and remembers where it
/// stood.
class Builder : public nlohmann::json_sax<json> {
 public:
  Builder(std::string_view text, const std::string& origin) : text_(text), origin_(origin) {}

  json take() {
    if (repeated_.empty()) return std::move(root_);
    const bool one = repeated_.size() == 1;
    throw UserError(origin_ + ": the " + (one ? "key " : "keys ") + join(repeated_, ", ") +
                    (one ? " stands twice" : " stand twice"));
  }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }  // does not occur in text

  bool start_object(std::size_t) override { return open(json::object()); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    json& object = *open_.back();
    if (object.contains(name) && repeated_.size() < most_repeated) repeated_.push_back(path_of(name));
    key_ = std::move(name);
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) override {
    std::string what = error.what();
    // "[json.exception.parse_error.101] parse error at line 1, column 8: syntax error while …": ours has the place
    // already.
    if (const auto end = what.find("] "); end != std::string::npos) what.erase(0, end + 2);
    if (what.starts_with("parse error")) what.erase(0, what.find(": ") + 2);
    const std::size_t at = std::min(position > 0 ? position - 1 : 0, text_.size());
    throw UserError(origin_ + ": not valid JSON at " + place(text_, at) + ": " + what);
  }

 private:
  template <class Value>
  json* insert(Value&& value) {
    if (open_.empty()) {
      root_ = std::forward<Value>(value);
      return &root_;
    }
    json& parent = *open_.back();
    if (parent.is_array()) return &parent.emplace_back(std::forward<Value>(value));
    return &(parent[key_] = std::forward<Value>(value));
  }
  template <class Value>
  bool add(Value&& value) {
    insert(std::forward<Value>(value));
    return true;
  }
  bool open(json container) {
    if (open_.size() >= max_depth)
      throw UserError(origin_ + ": nested more than " + std::to_string(max_depth) + " levels deep");
    names_.push_back(key_);
    // Stable: a container only grows while it is the innermost open one.
    open_.push_back(insert(std::move(container)));
    return true;
  }
  bool close() {
    open_.pop_back();
    names_.pop_back();
    return true;
  }
  std::string path_of(const std::string& name) const {
    std::string path;
    for (std::size_t i = 1; i < open_.size(); ++i) {
      const json& parent = *open_[i - 1];
      path += (parent.is_array() ? std::to_string(parent.size() - 1) : names_[i]) + ".";
    }
    return path + name;
  }

  std::string_view text_;
  const std::string& origin_;
  json root_;
  std::string key_;
  std::vector<json*> open_;         // the containers being read, outermost first
  std::vector<std::string> names_;  // under which key each of them stands
  std::vector<std::string> repeated_;
};

}  // namespace

json parse_json(std::string_view text, const std::string& origin) {
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  if (const std::size_t at = invalid_utf8_at(text); at != std::string_view::npos) {
    throw UserError(origin + ": not UTF-8 at " + place(text, at));
  }
  // The library takes NUL for the end of the text and would not see what follows.
  if (const std::size_t at = text.find('\0'); at != std::string_view::npos) {
    throw UserError(origin + ": not valid JSON at " + place(text, at) + ": a NUL byte");
  }
  Builder builder(text, origin);
  json::sax_parse(text.begin(), text.end(), &builder, json::input_format_t::json, /*strict=*/true,
                  /*ignore_comments=*/true);
  return builder.take();
}

json read_json(const std::filesystem::path& path) { return parse_json(read_file(path), path.string()); }

std::string dump_json(const json& value, int indent) {
  return value.dump(indent, ' ', /*ensure_ascii=*/false, json::error_handler_t::replace);
}

}  // namespace mha
