#include "data/train_sentencepiece.h"

#include <sentencepiece_trainer.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>
#include <unordered_map>

#include "base/error.h"
#include "base/stop.h"

namespace mha {
namespace {

/// A file without a name, in memory; gone with its last descriptor, however the processes end.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name) : descriptor_(memfd_create(name, MFD_CLOEXEC)) {
    if (descriptor_ < 0) throw std::runtime_error(std::string("cannot make a memory file: ") + std::strerror(errno));
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int descriptor() const { return descriptor_; }

  bool write_all(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t done = write(descriptor_, bytes.data(), bytes.size());
      if (done < 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(done));
    }
    return true;
  }

  std::string content() const {
    std::string bytes;
    std::array<char, 1U << 16> block{};
    off_t at = 0;
    for (ssize_t got; (got = pread(descriptor_, block.data(), block.size(), at)) > 0; at += got) {
      bytes.append(block.data(), static_cast<std::size_t>(got));
    }
    return bytes;
  }

 private:
  int descriptor_;
};

class Sentences final : public sentencepiece::SentenceIterator {
 public:
  explicit Sentences(const LineSource& lines) : lines_(lines) { Next(); }
  bool done() const override { return done_; }
  void Next() override { done_ = !lines_(line_); }
  const std::string& value() const override { return line_; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  const LineSource& lines_;
  std::string line_;
  bool done_ = false;
};

std::unordered_map<std::string, std::string> trainer_options(const VocabConfig& config) {
  return {
      {"model_type", to_string(config.type)},
      {"vocab_size", std::to_string(config.size)},
      {"character_coverage", std::to_string(config.character_coverage)},
      {"byte_fallback", config.byte_fallback ? "true" : "false"},
      {"hard_vocab_limit", "false"},  // the caller compares the sizes
      {"normalization_rule_name", "identity"},
      {"pad_id", "0"},
      {"unk_id", "1"},
      {"bos_id", "2"},
      {"eos_id", "3"},
      {"unk_surface", "\xE2\x81\x87"},
      {"num_threads", "4"},  // a fixed number: the sums of unigram's EM, and so the pieces, depend on it
      {"max_sentence_length", "1000000000"},  // its default drops lines beyond 4 kB
      {"minloglevel", "2"},
  };
}

/// The child's whole life; its standard error goes to `log`. Ends without the parent's exit handlers.
[[noreturn]] void train_and_exit(const VocabConfig& config, const LineSource& lines, const MemoryFile& model,
                                 const MemoryFile& log, pid_t parent) {
  // A signal to the whole group (Ctrl-C) is the parent's to answer; the parent's death ends this process too.
  for (const int signal_number : kStopSignals) std::signal(signal_number, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  dup2(log.descriptor(), STDERR_FILENO);
  try {
    Sentences sentences(lines);
    std::string bytes;
    const auto status = sentencepiece::SentencePieceTrainer::Train(trainer_options(config), &sentences, &bytes);
    if (status.ok() && model.write_all(bytes)) _exit(0);
    log.write_all(status.ok() ? std::strerror(errno) : status.error_message());
  } catch (const std::exception& error) {
    log.write_all(error.what());
  }
  _exit(1);
}

int wait_for(pid_t child) {
  int status = 0;
  for (;;) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    if (stop_signal() != 0) {
      kill(child, SIGKILL);
      while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
      }
      throw_if_stopped();
    }
    if (ended < 0 && errno != EINTR) throw std::runtime_error(std::string("waitpid: ") + std::strerror(errno));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

[[noreturn]] void fail(const VocabConfig& config, int status, std::string message) {
  const std::string what = "cannot train a " + to_string(config.type) + " vocabulary: ";
  // "Vocabulary size is smaller than required_chars. 5 vs 28. …"
  constexpr std::string_view too_small = "smaller than required_chars. ";
  if (const std::size_t at = message.find(too_small); at != std::string::npos) {
    const std::size_t number = message.find(" vs ", at) + 4;
    const std::string least = message.substr(number, message.find_first_not_of("0123456789", number) - number);
    throw UserError(what + "vocab.size is " + std::to_string(config.size) +
                    ", but the characters and special symbols alone need " + least + "; set vocab.size to at least " +
                    least + " or lower vocab.character_coverage");
  }
  if (WIFSIGNALED(status)) {
    message += " (killed by signal " + std::to_string(WTERMSIG(status)) +
               (WTERMSIG(status) == SIGKILL ? ", perhaps for want of memory)" : ")");
  }
  throw UserError(what + message);
}

}  // namespace

std::string train_sentencepiece(const VocabConfig& config, const LineSource& lines) {
  const MemoryFile model("model"), log("log");
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0)
    throw std::runtime_error(std::string("cannot start a process for the vocabulary: ") + std::strerror(errno));
  if (child == 0) train_and_exit(config, lines, model, log, parent);
  const int status = wait_for(child);
  if (status != 0) fail(config, status, log.content());
  return model.content();
}

}  // namespace mha
