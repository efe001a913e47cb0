#include "train/progress_state.h"

namespace mha {
namespace {

template <class F>
struct EachField {
  F f;
  template <class M>
  void operator()(M member, const char* name) {
    f(member, name);
  }
};

template <class F>
void each_field(F f) {
  EachField<F> visitor{f};
  UpdateSums::fields(visitor);
}

}  // namespace

UpdateSums& UpdateSums::operator+=(const UpdateSums& other) {
  each_field([&](auto member, const char*) { this->*member += other.*member; });
  return *this;
}

json UpdateSums::to_json() const {
  json out = json::object();
  each_field([&](auto member, const char* name) { out[name] = this->*member; });
  return out;
}

UpdateSums UpdateSums::from_json(const json& in) {
  UpdateSums sums;
  each_field([&](auto member, const char* name) {
    if (!in.at(name).is_null()) in.at(name).get_to(sums.*member);
  });
  return sums;
}

json ProgressState::to_json() const {
  return {{"update", update},
          {"epoch", epoch},
          {"next_epoch", next_batch.epoch},
          {"next_batch", next_batch.batch},
          {"skipped_updates", skipped_updates},
          {"validated_update", validated_update},
          {"restarts", restarts},
          {"events_position", events_position},
          {"validation_seconds", validation_seconds},
          {"saving_seconds", saving_seconds},
          {"total_seconds", total_seconds},
          {"started", started},
          {"best", best.to_json()},
          {"total", total.to_json()},
          {"since_log", since_log.to_json()}};
}

void ProgressState::from_json(const json& in) {
  in.at("update").get_to(update);
  in.at("epoch").get_to(epoch);
  in.at("next_epoch").get_to(next_batch.epoch);
  in.at("next_batch").get_to(next_batch.batch);
  in.at("skipped_updates").get_to(skipped_updates);
  in.at("validated_update").get_to(validated_update);
  in.at("restarts").get_to(restarts);
  in.at("events_position").get_to(events_position);
  in.at("validation_seconds").get_to(validation_seconds);
  in.at("saving_seconds").get_to(saving_seconds);
  in.at("total_seconds").get_to(total_seconds);
  in.at("started").get_to(started);
  best.from_json(in.at("best"));
  total = UpdateSums::from_json(in.at("total"));
  since_log = UpdateSums::from_json(in.at("since_log"));
}

}  // namespace mha
