#include "config/tree.h"

#include "config/config.h"
#include "config/values.h"

namespace mha {
namespace {

template <Section S>
std::vector<KeyInfo> keys_of();

template <class T>
struct OverriddenSettings;
template <class S>
struct OverriddenSettings<Override<S>> {
  using type = S;
};

template <Section S>
struct TreeVisitor {
  S defaults;
  std::vector<KeyInfo> keys;

  template <class T, class C>
  void operator()(T C::*member, const char* key, const Rule& rule, const char* doc) {
    KeyInfo info{.key = key, .doc = doc, .words = "", .default_value = {}, .schema = {}, .keys = {}};
    if constexpr (Section<T>) {
      info.keys = keys_of<T>();
    } else if constexpr (requires { typename OverriddenSettings<T>::type; }) {
      info.keys = keys_of<typename OverriddenSettings<T>::type>();
      info.is_override = true;
    } else {
      info.words = ValueType<T>::words(rule);
      info.default_value = ValueType<T>::write(defaults.*member);
      info.schema = ValueType<T>::schema(rule);
    }
    keys.push_back(std::move(info));
  }
};

template <Section S>
std::vector<KeyInfo> keys_of() {
  TreeVisitor<S> visitor;
  S::fields(visitor);
  return std::move(visitor.keys);
}

}  // namespace

const std::vector<KeyInfo>& config_tree() {
  static const std::vector<KeyInfo> tree = keys_of<FileConfig>();
  return tree;
}

}  // namespace mha
