#pragma once

#include <cstdint>
#include <string>

#include "base/json.h"
#include "data/batch.h"
#include "train/best_tracker.h"

namespace mha {

/// Sums over updates; losses in nats over target tokens, EOS counted.
struct UpdateSums {
  double loss = 0, nll = 0, gnorm = 0, seconds = 0, wait_seconds = 0;
  std::int64_t updates = 0, clipped = 0, target_tokens = 0, source_tokens = 0, sentences = 0, positions = 0;

  template <class V>
  static void fields(V& v) {
    v(&UpdateSums::loss, "loss"), v(&UpdateSums::nll, "nll"), v(&UpdateSums::gnorm, "gnorm");
    v(&UpdateSums::seconds, "seconds"), v(&UpdateSums::wait_seconds, "wait_seconds");
    v(&UpdateSums::updates, "updates"), v(&UpdateSums::clipped, "clipped");
    v(&UpdateSums::target_tokens, "target_tokens"), v(&UpdateSums::source_tokens, "source_tokens");
    v(&UpdateSums::sentences, "sentences"), v(&UpdateSums::positions, "positions");
  }
  UpdateSums& operator+=(const UpdateSums& other);
};

/// Everything besides weights and moments that a training needs to go on exactly where it stood. There are no random
/// generators in it: shuffling and dropout are functions of (seed, epoch) and (seed, update).
struct ProgressState {
  std::int64_t update = 0;                      // updates made, skipped ones counted
  std::int64_t epoch = 1;                       // the pass that the last update was in
  std::int64_t next_epoch = 1, next_batch = 0;  // position of the batches: see BatchSequence
  std::int64_t skipped_updates = 0;
  std::int64_t validated_update = -1;  // the last update that was validated
  std::int64_t restarts = 0;
  std::int64_t events_position = 0;      // bytes of events.jsonl
  std::int64_t peak_resident_bytes = 0;  // most of any process of the run, up to its last save
  double validation_seconds = 0, saving_seconds = 0, total_seconds = 0;
  std::string started;    // UTC
  std::string data_hash;  // EncodedCorpus::hash() of the training pairs
  BestTracker best;
  UpdateSums total, since_log;

  template <class V>
  static void fields(V& v) {
    using T = ProgressState;
    v(&T::update, "update"), v(&T::epoch, "epoch"), v(&T::next_epoch, "next_epoch"), v(&T::next_batch, "next_batch");
    v(&T::skipped_updates, "skipped_updates"), v(&T::validated_update, "validated_update"), v(&T::restarts, "restarts");
    v(&T::events_position, "events_position"), v(&T::peak_resident_bytes, "peak_resident_bytes");
    v(&T::validation_seconds, "validation_seconds");
    v(&T::saving_seconds, "saving_seconds"), v(&T::total_seconds, "total_seconds"), v(&T::started, "started");
    v(&T::data_hash, "data_hash");
    v(&T::best, "best"), v(&T::total, "total"), v(&T::since_log, "since_log");
  }
  json to_json() const;
  /// Throws UserError naming `origin` for what is not such a state. Keeps which direction of `best` is better. Older
  /// states do not have the peak of memory; theirs is 0.
  void from_json(const json& in, const std::string& origin);
  BatchPosition position() const { return {next_epoch, next_batch}; }
};

}  // namespace mha
