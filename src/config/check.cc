#include "config/check.h"

#include <algorithm>

namespace mha {
namespace {

std::string number(std::int64_t value) { return std::to_string(value); }

void check_split(const SplitConfig& split, const std::string& path, Checker& check) {
  const bool pair = !split.source.empty() || !split.target.empty();
  check.require(!pair || split.tsv.empty(), path, "has tsv as well as source and target; give one or the other");
  check.require(split.source.size() == split.target.size(), path,
                "names " + number(static_cast<std::int64_t>(split.source.size())) + " source files and " +
                    number(static_cast<std::int64_t>(split.target.size())) +
                    " target files; they belong together one by one");
  check.require(split.annotations.empty() || split.given(), path + ".annotations",
                "annotates no files: give source and target, or tsv");
}

void check_data(const RunConfig& config, Checker& check) {
  const DataConfig& data = config.data;
  check.require(data.train.given(), "data.train", "nothing to train on: give source and target, or tsv");
  check_split(data.train, "data.train", check);
  check_split(data.valid, "data.valid", check);
  check_split(data.test, "data.test", check);
  const auto check_length = [&](const std::string& key, std::int64_t length) {
    const std::string path = "data." + key;
    check.require(length <= config.model.max_positions, path,
                  number(length) + " is more than model.max_positions, " + number(config.model.max_positions) +
                      "; lower the one or raise the other");
    check.require(length <= data.max_tokens, path,
                  number(length) + " is more than data.max_tokens, " + number(data.max_tokens) +
                      ": such a pair would fit into no batch; lower the one or raise the other");
  };
  check_length("max_source_length", data.max_source_length);
  check_length("max_target_length", data.max_target_length);
}

void check_vocab(const RunConfig& config, Checker& check) {
  const VocabConfig& vocab = config.vocab;
  const bool one = !vocab.model.empty();
  const bool source = !vocab.source_model.empty();
  const bool target = !vocab.target_model.empty();
  check.require(!one || (!source && !target), "vocab.model",
                "is for both sides and stands beside source_model or target_model; give one or the other");
  check.require(!one || source || target || vocab.joint, "vocab.joint",
                "is false, but vocab.model is one vocabulary for both sides");
  check.require(
      (!source && !target) || !vocab.joint, "vocab.joint",
      "is true, but source_model and target_model are for one side each; set it to false, or give vocab.model");
  const bool file = vocab.type == VocabType::file;
  check.require(!file || one || (source && target), "vocab.type",
                "\"file\" needs vocab.model, or both source_model and target_model");
  check.require(!file || !vocab.byte_fallback, "vocab.byte_fallback",
                "is only for SentencePiece, not for the type \"file\"");
}

void check_model(const RunConfig& config, Checker& check) {
  const ModelConfig& model = config.model;
  check.require(!model.share_all_embeddings || config.vocab.joint, "model.share_all_embeddings",
                "needs one vocabulary for both sides; set vocab.joint to true");
  check.require(!model.share_all_embeddings || model.share_decoder_input_output_embed, "model.share_all_embeddings",
                "shares the output matrix too, but share_decoder_input_output_embed is false");
}

void check_optimizer(const RunConfig& config, Checker& check) {
  const OptimizerConfig& optimizer = config.optimizer;
  const bool below_one = std::ranges::all_of(optimizer.betas, [](double beta) { return beta < 1; });
  check.require(optimizer.betas.size() == 2 && below_one, "optimizer.betas", "must be two numbers from 0 to below 1");
  const bool cosine = optimizer.lr_scheduler == Schedule::cosine;
  const std::int64_t updates = config.train.max_update.value_or(0);
  check.require(!cosine || updates > 0, "optimizer.lr_scheduler", "\"cosine\" needs train.max_update, where it ends");
  check.require(!cosine || optimizer.min_lr <= optimizer.lr, "optimizer.min_lr", "is above optimizer.lr");
  check.require(cosine || optimizer.min_lr == 0, "optimizer.min_lr", "is only for lr_scheduler \"cosine\"");
  constexpr double largest_noam_factor = 100;
  const bool noam = optimizer.lr_scheduler == Schedule::noam;
  check.require(!noam || optimizer.lr <= largest_noam_factor, "optimizer.lr",
                "for \"noam\" it is a factor, usually 1 or 2");
  check.require(!noam || optimizer.warmup_init_lr == 0, "optimizer.warmup_init_lr",
                "is not for lr_scheduler \"noam\", which starts from 0");
  check.require(noam || optimizer.warmup_init_lr <= optimizer.lr, "optimizer.warmup_init_lr", "is above optimizer.lr");
  const std::int64_t cooldown = optimizer.cooldown_updates;
  check.require(cooldown == 0 || updates > 0, "optimizer.cooldown_updates", "needs train.max_update, where it ends");
  check.require(cooldown == 0 || updates == 0 || cooldown <= updates, "optimizer.cooldown_updates",
                number(cooldown) + " is more than train.max_update, " + number(updates) +
                    "; for a short run also set optimizer.cooldown_updates, 0 for none");
}

void check_train(const RunConfig& config, Checker& check) {
  const TrainConfig& train = config.train;
  const bool ends = train.max_update || train.max_epoch || train.max_seconds || train.patience > 0;
  check.require(ends, "train", "would never end; set max_update, max_epoch, max_seconds or patience");

  const bool valid = config.data.valid.given();
  const std::string needs_valid = "needs data.valid";
  const bool repeated = valid && train.validate_interval_updates > 0;
  const std::string needs_repeated =
      "needs validations during training: data.valid and train.validate_interval_updates above 0";
  check.require(train.patience == 0 || repeated, "train.patience", needs_repeated);
  check.require(train.average_last <= 1 || repeated, "train.average_last", needs_repeated);
  check.require(train.average_last != 1 || valid, "train.average_last", needs_valid);
  check.require(train.validation_bleu != ValidationBleu::beam || valid, "train.validation_bleu",
                "\"beam\" " + needs_valid);
  const bool by_bleu = train.best_checkpoint_metric == BestMetric::bleu;
  check.require(!by_bleu || valid, "train.best_checkpoint_metric", "\"bleu\" " + needs_valid);
  check.require(!by_bleu || train.validation_bleu != ValidationBleu::none, "train.best_checkpoint_metric",
                "\"bleu\" needs train.validation_bleu to be \"greedy\" or \"beam\"");
  check.require(train.final_weights != FinalWeights::best || valid, "train.final_weights", "\"best\" " + needs_valid);
  check.require(train.final_weights != FinalWeights::average || train.average_last > 0, "train.final_weights",
                "\"average\" needs train.average_last of at least 1");
}

}  // namespace

void check_config(const RunConfig& config, const std::vector<std::string>& kinds, Problems& problems) {
  Checker check(problems);
  const bool plain_name = config.name.find_first_of(std::string("/\\\n\0", 4)) == std::string::npos &&
                          config.name != "." && config.name != "..";
  check.require(plain_name, "name",
                "becomes part of a folder's name and cannot hold a slash; run_dir chooses the folder");
  check_data(config, check);
  check_vocab(config, check);
  check_model(config, check);
  check_attention(config, kinds, check);
  check_optimizer(config, check);
  check_train(config, check);
  check.require(config.decode.path == DecodePath::automatic || config.decode.precision == DecodePrecision::fp32,
                "decode.precision", "the generic path is always fp32; set decode.path to \"auto\"");
  check.require(config.decode.nbest <= config.decode.beam, "decode.nbest",
                number(config.decode.nbest) + " is more than decode.beam, " + number(config.decode.beam));
}

}  // namespace mha
