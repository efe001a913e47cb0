#pragma once

#include "config/values.h"

namespace mha {

template <Section S>
json section_to_json(const S& section);

template <Section S>
struct WriteVisitor {
  const S& section;
  json out = json::object();

  template <class T, class C>
  void operator()(T C::*member, const char* key, const Rule&, const char*) {
    const T& value = section.*member;
    if constexpr (Section<T>) {
      out[key] = section_to_json(value);
    } else if constexpr (requires { value.patch; }) {
      out[key] = value.patch;
    } else {
      out[key] = ValueType<T>::write(value);
    }
  }
};

/// Every key of the section, in the order of its table.
template <Section S>
json section_to_json(const S& section) {
  WriteVisitor<S> visitor{section};
  S::fields(visitor);
  return std::move(visitor.out);
}

}  // namespace mha
