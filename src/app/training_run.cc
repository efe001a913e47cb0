#include "app/training_run.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/config_options.h"
#include "app/environment.h"
#include "app/failure.h"
#include "app/progress_observer.h"
#include "app/report_builder.h"
#include "app/test_run.h"
#include "app/trained_model.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/stop.h"
#include "base/system.h"
#include "base/text.h"
#include "eval/scoring.h"
#include "metrics/bleu.h"
#include "ops/tensor_memory.h"
#include "report/events.h"
#include "report/run_folder.h"
#include "train/trainer.h"

namespace mha {
namespace {

/// One training from start to report.
class TrainingRun {
 public:
  TrainingRun(const LoadedConfig& loaded, OpenRunFolder& folder, std::int64_t stop_after)
      : loaded_(loaded),
        config_(loaded.config),
        folder_(folder),
        stop_after_(stop_after),
        observer_(loaded.config.train) {}

  void run() {
    environment_ = set_up_environment(config_);
    report_.provenance = machine_provenance(environment_);
    report_.provenance.seed = config_.seed;
    report_.provenance.config_hash = config_hash(loaded_.resolved);
    report_.provenance.started = utc_now();
    report_.name = config_.name;
    report_.config = loaded_.resolved;
    prepare_data();
    train();
    if (config_.data.test.given()) test();
  }

  /// Fills in what is known however the run ended, and writes the report.
  RunReport& finish(RunStatus status, const std::string& reason, int exit_code) {
    observer_.clear();
    report_.status = status;
    report_.reason = reason;
    report_.exit_code = exit_code;
    report_.provenance.ended = utc_now();
    if (events_) {
      events_->write(RunEnd{status, reason, trainer_ ? trainer_->state().update : 0});
      add_events(read_events(folder_.events()), to_string(config_.train.best_checkpoint_metric), report_.training);
    }
    if (trainer_) {
      const ProgressState& state = trainer_->state();
      report_.training.num_updates = state.update;
      report_.training.epoch = state.epoch;
      report_.training.train_wall = state.total.seconds;
      report_.training.checkpoints = checkpoints_->files();
      report_.provenance.started = state.started;
      report_.provenance.restarts = state.restarts;
      report_.throughput = throughput_report(state);
      report_.throughput.seconds.data = data_seconds_;
      report_.throughput.seconds.test = report_.test ? report_.test->seconds : 0;
      report_.throughput.seconds.total = seconds_of_earlier_processes_ + watch_.seconds();
      report_.memory.model_bytes = static_cast<std::int64_t>(model_->parameters().flat_values().nbytes());
      report_.memory.gradient_bytes = trainer_->gradient_bytes();
      report_.memory.optimizer_bytes = optimizer_->bytes();
    }
    const std::int64_t earlier_peak = trainer_ ? trainer_->state().peak_resident_bytes : 0;
    report_.memory.peak_resident_bytes = std::max(earlier_peak, peak_resident_bytes());
    if (environment_.device.is_cpu()) report_.memory.peak_tensor_bytes = peak_tensor_bytes();
    write_report(report_, folder_.report());
    return report_;
  }

  const std::optional<SplitScore>& test_score() const { return test_score_; }
  const RunReport& report() const { return report_; }
  std::int64_t updates() const { return trainer_ ? trainer_->state().update : 0; }

 private:
  void prepare_data() {
    const Stopwatch watch;
    cache_ = cache_folder(config_, folder_.root());
    const bool has_vocabularies =
        std::filesystem::exists(folder_.joint_vocabulary()) || std::filesystem::exists(folder_.source_vocabulary());
    if (folder_.state_at_open() == RunState::half_done && has_vocabularies) {
      vocabularies_ = load_vocabularies(folder_);  // the run's own, whatever has become of the training text
    } else {
      vocabularies_ = make_vocabularies(config_.vocab, config_.data, cache_);
      save_vocabularies(folder_, vocabularies_);
    }
    report_.vocabulary = vocabulary_report(vocabularies_);
    const auto open = [&](const SplitConfig& split, const char* name, bool training) {
      CorpusPtr corpus =
          open_corpus(split, name, vocabularies_, encode_options(config_, environment_, training), cache_);
      report_.data[name] = split_report(*corpus);
      return corpus;
    };
    train_corpus_ = open(config_.data.train, "train", true);
    observer_.set_pairs(train_corpus_->size());
    if (config_.data.valid.given()) {
      valid_corpus_ = open(config_.data.valid, "valid", false);
      if (config_.train.validation_bleu != ValidationBleu::none)
        valid_text_ = read_parallel(config_.data.valid, "valid");
    }
    // Opened now so that a test split that cannot be used is found before the training, not after it.
    if (config_.data.test.given()) open(config_.data.test, "test", false);
    data_seconds_ = watch.seconds();
  }

  TextModel text_model() const { return {*model_, vocabularies_, encode_options(config_, environment_, false)}; }

  ValidationPoint validate() const {
    ValidationPoint point;
    const CorpusLoss loss = corpus_loss(*model_, *valid_corpus_, kScoringTokens);
    point.nll_loss = loss.mean();
    point.ppl = std::exp(point.nll_loss);
    point.target_tokens = loss.tokens;
    point.sentences = valid_corpus_->size();
    if (config_.train.validation_bleu != ValidationBleu::none) {
      DecodeConfig search = config_.decode;
      search.nbest = 1;
      if (config_.train.validation_bleu == ValidationBleu::greedy) search.beam = 1;
      const TranslatedLines translated = translate_lines(text_model(), valid_text_.source, search);
      point.bleu = corpus_bleu(translated.lines, {valid_text_.target}, bleu_options(config_.score)).text.score;
    }
    return point;
  }

  void train() {
    model_ = build_model(config_, vocabularies_, environment_.device);
    report_.parameters = parameter_report(*model_);
    report_.attention = attention_report(*model_);
    optimizer_ = std::make_unique<Optimizer>(config_.optimizer, model_->parameters());
    checkpoints_ =
        std::make_unique<CheckpointStore>(CheckpointStore::Spec{.folder = folder_.checkpoints(),
                                                                .model = model_identity_of(config_, vocabularies_),
                                                                .keep_last = config_.train.keep_last,
                                                                .average_last = config_.train.average_last},
                                          model_->parameters(), *optimizer_);
    events_ = std::make_unique<EventLog>(folder_.events());
    trainer_ = std::make_unique<Trainer>(
        config_, Trainer::Parts{.model = *model_,
                                .optimizer = *optimizer_,
                                .corpus = train_corpus_,
                                .checkpoints = *checkpoints_,
                                .events = *events_,
                                .observer = observer_,
                                .validate = valid_corpus_ ? Validate([this] { return validate(); }) : Validate(),
                                .dtype = environment_.dtype,
                                .threads = environment_.threads,
                                .stop_after = stop_after_});
    if (trainer_->resume()) {
      seconds_of_earlier_processes_ = trainer_->state().total_seconds;
      log_info("resuming after update " + std::to_string(trainer_->state().update));
    } else {
      events_->truncate_to(0);
      events_->write(RunStart{report_.provenance.version, report_.provenance.commit, report_.provenance.config_hash,
                              config_.seed, report_.parameters.num_params});
    }
    log_info("training " + format_count(report_.parameters.num_params) + " parameters on " +
             format_count(train_corpus_->size()) + " pairs, " + report_.provenance.precision + " on " +
             report_.provenance.device + ", " + std::to_string(environment_.threads) + " threads");
    report_.training.stop_reason = trainer_->run();
    observer_.clear();
    log_info("training ended after update " + std::to_string(trainer_->state().update) + " (" +
             report_.training.stop_reason + ")");
  }

  /// Loads the weights that the test is to be scored with; their name.
  std::string load_final_weights() {
    const std::int64_t update = trainer_->state().update;
    const std::optional<CheckpointRecord> average =
        config_.train.average_last > 0 ? checkpoints_->save_average(update) : std::nullopt;
    const FinalWeights which =
        final_weights(config_.train, average.has_value(), trainer_->state().best.value().has_value());
    const std::filesystem::path file = which == FinalWeights::average ? checkpoints_->average()
                                       : which == FinalWeights::best  ? checkpoints_->best()
                                                                      : checkpoints_->last();
    try {
      const WeightsInfo read = read_weights(file, checkpoints_->model(), model_->parameters());
      // A process may have been killed after it had written the best weights and before it had saved its state.
      if (which == FinalWeights::best && read.update != trainer_->state().best.update())
        throw UserError(file.string() + " is of update " + std::to_string(read.update) +
                        ", which this training did not get to again");
      return to_string(which);
    } catch (const UserError& error) {
      if (which == FinalWeights::last) throw;
      log_warning(std::string(error.what()) + "; the last weights are scored instead");
    }
    read_weights(checkpoints_->last(), checkpoints_->model(), model_->parameters());
    return to_string(FinalWeights::last);
  }

  void test() {
    throw_if_stopped();
    const std::string weights = load_final_weights();
    log_info("scoring the test split with the " + weights + " weights");
    test_score_ = score_split(text_model(), config_, {config_.data.test, "test"}, cache_);
    write_file(folder_.hypotheses() / "test.txt", hypotheses_text(*test_score_));
    test_score_->report.weights = weights;
    test_score_->report.weights_file = "checkpoints/" + weights + ".safetensors";
    test_score_->report.hypotheses = "hypotheses/test.txt";
    report_.test = test_score_->report;
    report_.phenomena = test_score_->phenomena;
  }

  const LoadedConfig& loaded_;
  const RunConfig& config_;
  OpenRunFolder& folder_;
  std::int64_t stop_after_;
  Stopwatch watch_;
  double data_seconds_ = 0, seconds_of_earlier_processes_ = 0;
  Environment environment_;
  std::filesystem::path cache_;
  VocabularyPair vocabularies_;
  CorpusPtr train_corpus_, valid_corpus_;
  ParallelText valid_text_;
  std::unique_ptr<Transformer> model_;
  std::unique_ptr<Optimizer> optimizer_;
  std::unique_ptr<CheckpointStore> checkpoints_;
  std::unique_ptr<EventLog> events_;
  ProgressObserver observer_;
  std::unique_ptr<Trainer> trainer_;
  std::optional<SplitScore> test_score_;
  RunReport report_;
};

void print_samples(const SplitScore& score) {
  constexpr std::size_t wanted = 5;
  const std::size_t count = std::min(wanted, score.sources.size());
  std::printf("\n%zu translations of the test split:\n", count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = i * score.sources.size() / count;
    std::printf("  source       %s\n  translation  %s\n  reference    %s\n\n",
                replace_invalid_utf8(score.sources[at]).c_str(), score.hypotheses[at].c_str(),
                replace_invalid_utf8(score.references[at]).c_str());
  }
}

/// The report of a run that did not get to its end. A disk that takes no report either must not hide why.
void finish_badly(TrainingRun& run, RunStatus status, const std::string& reason, int exit_code) {
  try {
    run.finish(status, reason, exit_code);
  } catch (const std::exception& error) {
    log_warning(std::string("there is no report of this run: ") + error.what());
  }
}

/// What a machine or a person is told of a run whose report is written.
void print_result(const TrainingRun& run, const RunFolder& folder, bool as_json) {
  if (as_json) {
    std::puts(dump_json(report_to_json(run.report())).c_str());
    return;
  }
  if (run.report().status == RunStatus::completed) {
    std::fputs(summary_table(run.report()).c_str(), stdout);
    if (run.test_score()) print_samples(*run.test_score());
  }
  std::printf("report: %s\n", folder.report().c_str());
}

}  // namespace

int run_training(const LoadedConfig& loaded, const TrainingRunOptions& options) {
  const std::filesystem::path root = run_root(loaded);
  if (!std::filesystem::exists(root)) require_data_files(loaded.config.data);  // before there is a folder of no use
  OpenRunFolder folder(root, loaded.resolved, options.wait);
  if (folder.state_at_open() == RunState::finished) {
    if (options.as_json) {
      std::puts(dump_json(report_to_json(read_report(folder.report()))).c_str());
      log_info(finished_message(folder));
    } else {
      std::puts(finished_message(folder).c_str());
    }
    return static_cast<int>(ExitCode::ok);
  }
  if (folder.state_at_open() == RunState::half_done && !options.resume) {
    throw UserError(
        root.string() +
        " holds a training that is not finished: go on with --resume, or choose another folder with --run-dir");
  }
  std::error_code ignored;
  std::filesystem::remove(folder.report(), ignored);  // an earlier process's; a killed run has none
  TrainingRun run(loaded, folder, options.stop_after);
  int code = static_cast<int>(ExitCode::ok);
  try {
    run.run();
    run.finish(RunStatus::completed, "", code);
  } catch (const Interrupted& interrupted) {
    code = exit_code_of(interrupted);
    finish_badly(run, RunStatus::interrupted, interrupted.what(), code);
    log_warning(std::string(interrupted.what()) + "; saved after update " + std::to_string(run.updates()) +
                ": --resume goes on from there");
  } catch (const Paused& paused) {
    run.finish(RunStatus::interrupted, paused.what(), code);
    log_info(std::string(paused.what()) + ": --resume goes on from there");
  } catch (const Diverged& diverged) {
    code = exit_code_of(diverged);
    finish_badly(run, RunStatus::diverged, diverged.what(), code);
    log_error("the training diverged: " + std::string(diverged.what()));
  } catch (const std::exception& error) {
    finish_badly(run, RunStatus::failed, plain_message(error), exit_code_of(error));
    throw;
  }
  print_result(run, folder, options.as_json);
  return code;
}

}  // namespace mha
