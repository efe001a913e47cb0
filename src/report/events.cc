#include "report/events.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "report/field_json.h"

namespace mha {
namespace {

constexpr const char* kEventKey = "event";
constexpr const char* kTimeKey = "time";

std::string event_line(const Event& event) {
  json out = {{kEventKey, to_string(event.kind())}, {kTimeKey, event.time}};
  std::visit([&](const auto& body) { out.update(field_to_json(body)); }, event.body);
  return dump_json(out, -1) + "\n";
}

/// An EventBody holding a default value of the kind.
template <std::size_t... I>
EventBody body_of_kind(EventKind kind, std::index_sequence<I...>) {
  EventBody body;
  ((static_cast<std::size_t>(kind) == I ? static_cast<void>(body.emplace<I>()) : void()), ...);
  return body;
}

template <class T>
T take(json& fields, const char* key, const FieldPlace& at) {
  T value{};
  if (!fields.is_object() || !fields.contains(key)) at.fail(std::string("has no \"") + key + "\"");
  field_from_json(fields[key], at.key(key), value);
  fields.erase(key);
  return value;
}

Event parse_event(std::string_view line, const std::string& origin) {
  json fields = parse_json(line, origin);
  const FieldPlace at{origin, ""};
  const auto kind = take<EventKind>(fields, kEventKey, at);
  Event event{take<std::string>(fields, kTimeKey, at),
              body_of_kind(kind, std::make_index_sequence<std::variant_size_v<EventBody>>())};
  std::visit([&](auto& body) { field_from_json(fields, at, body); }, event.body);
  return event;
}

/// Length of the whole lines at the start of the text.
std::size_t whole_lines(std::string_view text) {
  const std::size_t last = text.rfind('\n');
  return last == std::string_view::npos ? 0 : last + 1;
}

}  // namespace

EventLog::EventLog(std::filesystem::path file) : file_(std::move(file)) {
  descriptor_ = open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor_ < 0) fail("open");
  size_ = static_cast<std::int64_t>(whole_lines(read_file(file_)));
  if (ftruncate(descriptor_, size_) != 0) fail("cut");
}

EventLog::~EventLog() {
  if (descriptor_ >= 0) close(descriptor_);
}

void EventLog::fail(const char* what) const {
  throw UserError("cannot " + std::string(what) + " " + file_.string() + ": " + std::strerror(errno));
}

void EventLog::write(const EventBody& body) {
  const std::string line = event_line({utc_now(), body});
  std::size_t done = 0;
  while (done < line.size()) {
    const ssize_t n = ::write(descriptor_, line.data() + done, line.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int reason = errno;
      // If even this fails, the next reader leaves the half line out.
      [[maybe_unused]] const int cut = ftruncate(descriptor_, size_);
      errno = reason;
      fail("write");
    }
    done += static_cast<std::size_t>(n);
  }
  size_ += static_cast<std::int64_t>(line.size());
}

std::int64_t EventLog::position() {
  if (fsync(descriptor_) != 0) fail("write");
  return size_;
}

void EventLog::truncate_to(std::int64_t position) {
  if (position < 0 || position > size_) {
    throw UserError(file_.string() + " has " + std::to_string(size_) +
                    " bytes, but the checkpoint was made when it had " + std::to_string(position) +
                    ": it was changed since; put it back or start in a new run folder");
  }
  if (ftruncate(descriptor_, position) != 0) fail("cut");
  size_ = position;
}

std::vector<Event> read_events(const std::filesystem::path& file) {
  const std::string content = read_file(file);
  std::string_view rest(content.data(), whole_lines(content));
  std::vector<Event> events;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    events.push_back(parse_event(rest.substr(0, end), file.string() + ", line " + std::to_string(events.size() + 1)));
    rest.remove_prefix(end + 1);
  }
  return events;
}

void add_events(const std::vector<Event>& events, const std::string& metric, TrainingReport& training) {
  for (const Event& event : events) {
    if (const auto* point = std::get_if<TrainPoint>(&event.body)) training.curve.push_back(*point);
    if (const auto* skipped = std::get_if<SkippedUpdate>(&event.body)) training.skipped_updates.push_back(*skipped);
    const auto* validation = std::get_if<ValidationPoint>(&event.body);
    if (validation == nullptr) continue;
    training.validations.push_back(*validation);
    if (!validation->best) continue;
    const double value = metric == "bleu" ? validation->bleu.value_or(kUnknown) : validation->nll_loss;
    training.best = BestPoint{metric, value, validation->num_updates};
  }
}

}  // namespace mha
