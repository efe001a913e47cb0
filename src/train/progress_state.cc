#include "train/progress_state.h"

#include "report/field_json.h"

namespace mha {

UpdateSums& UpdateSums::operator+=(const UpdateSums& other) {
  auto add = [&](auto member, const char*) { this->*member += other.*member; };
  fields(add);
  return *this;
}

json ProgressState::to_json() const { return field_to_json(*this); }

void ProgressState::from_json(const json& in, const std::string& origin) {
  json state = in;
  if (state.is_object()) state.emplace("peak_resident_bytes", 0);
  field_from_json(state, {origin, "progress"}, *this);
}

}  // namespace mha
