#include "unit/config/config_testing.h"

// Rules across keys. A4 among them: heads that do not divide the width are refused before any data is read.
namespace mha {
namespace {

using ::testing::AllOf;
using testing::ConfigFiles;
using ::testing::HasSubstr;
using testing::problem_count;
using Sets = std::vector<std::string>;

/// Keys to set, and the path and words that the refusal must hold; no path: it must be accepted.
struct RuleCase {
  Sets sets;
  std::string path, words;
};

void PrintTo(const RuleCase& rule, std::ostream* out) {
  for (const auto& set : rule.sets) *out << set << " ";
}

class Rules : public ::testing::TestWithParam<RuleCase> {};

TEST_P(Rules, Hold) {
  const ConfigFiles files;
  const RuleCase& rule = GetParam();
  if (rule.path.empty()) {
    EXPECT_EQ(files.refusal(rule.sets), "nothing was thrown");
    return;
  }
  const std::string message = files.refusal(rule.sets);
  EXPECT_THAT(message, AllOf(HasSubstr("\n  " + rule.path + " ("), HasSubstr(rule.words)));
  EXPECT_EQ(problem_count(message), 1U) << message;
}

const Sets valid = {"data.valid.source=v.en", "data.valid.target=v.de"};
Sets and_valid(Sets sets) {
  sets.insert(sets.end(), valid.begin(), valid.end());
  return sets;
}

INSTANTIATE_TEST_SUITE_P(
    Data, Rules,
    ::testing::Values(
        RuleCase{{"data.train.source=[]", "data.train.target=[]"}, "data.train", "nothing to train on"},
        RuleCase{{"data.train.target=[]"}, "data.train", "names 1 source files and 0 target files"},
        RuleCase{{R"(data.test.source=["a","b"])", R"(data.test.target=["a"])"},
                 "data.test",
                 "2 source files and 1 target files"},
        RuleCase{{"data.train.tsv=t.tsv"}, "data.train", "one or the other"},
        RuleCase{{"data.train.tsv=t.tsv", "data.train.source=[]", "data.train.target=[]"}, "", ""},
        RuleCase{{"data.test.annotations=a.jsonl"}, "data.test.annotations", "annotates no files"},
        RuleCase{{"data.max_source_length=1025"}, "data.max_source_length", "more than model.max_positions, 1024"},
        RuleCase{{"data.max_target_length=1025"}, "data.max_target_length", "more than model.max_positions, 1024"},
        RuleCase{{"data.max_target_length=1024"}, "", ""}, RuleCase{{"data.max_tokens=250"}, "", ""},
        RuleCase{{"data.max_tokens=249", "data.max_target_length=9"}, "data.max_source_length", "fit into no batch"}));

INSTANTIATE_TEST_SUITE_P(
    VocabularyAndModel, Rules,
    ::testing::Values(
        RuleCase{{"vocab.model=m", "vocab.source_model=s", "vocab.joint=false"}, "vocab.model", "one or the other"},
        RuleCase{{"vocab.model=m", "vocab.joint=false"}, "vocab.joint", "one vocabulary for both sides"},
        RuleCase{{"vocab.source_model=s", "vocab.target_model=t"}, "vocab.joint", "set it to false"},
        RuleCase{{"vocab.source_model=s", "vocab.target_model=t", "vocab.joint=false"}, "", ""},
        RuleCase{{"vocab.source_model=s", "vocab.joint=false"}, "", ""},
        RuleCase{{"vocab.type=file"}, "vocab.type", "needs vocab.model"},
        RuleCase{{"vocab.type=file", "vocab.model=m"}, "", ""},
        RuleCase{{"vocab.type=file", "vocab.source_model=s", "vocab.joint=false"}, "vocab.type", "needs vocab.model"},
        RuleCase{{"vocab.type=file", "vocab.model=m", "vocab.byte_fallback=true"},
                 "vocab.byte_fallback",
                 "only for SentencePiece"},
        RuleCase{{"vocab.joint=false", "model.share_all_embeddings=true"}, "model.share_all_embeddings", "vocab.joint"},
        RuleCase{{"model.share_all_embeddings=true", "model.share_decoder_input_output_embed=false"},
                 "model.share_all_embeddings",
                 "output"},
        RuleCase{{"model.share_all_embeddings=true"}, "", ""},
        RuleCase{{"model.d_model=9", "attention.num_heads=3"}, "", ""},
        RuleCase{{"model.d_model=9", "attention.num_heads=3", "model.positions=learned"}, "", ""},
        RuleCase{{"model.norm_kind=rmsnorm", "model.bias=false"}, "", ""}, RuleCase{{"name=a/b"}, "name", "slash"}));

INSTANTIATE_TEST_SUITE_P(
    Attention, Rules,
    ::testing::Values(
        RuleCase{{"attention.kind=scaled_dott"}, "attention.kind", "did you mean \"scaled_dot\"?"},
        RuleCase{
            {"attention.cross.kind=nothing_like_it"}, "attention.cross.kind", "`mha-train config kinds` lists them"},
        RuleCase{{"attention.cross.layers.2.kind=per_head"}, "", ""},
        RuleCase{{"model.d_model=10", "attention.num_heads=3"},
                 "attention.num_heads",
                 "d_model 10 cannot be divided by num_heads 3"},
        RuleCase{{"model.d_model=10", "attention.num_heads=3", "attention.d_k=2"}, "", ""},
        RuleCase{{"model.d_model=10", "attention.num_heads=3", "attention.d_k=ceil"}, "", ""},
        RuleCase{{"attention.decoder_self.num_heads=3"}, "attention.decoder_self.num_heads", "num_heads 3"},
        RuleCase{{"attention.encoder_self.layers.6.num_heads=3"},
                 "attention.encoder_self.layers.6.num_heads",
                 "num_heads 3"},
        RuleCase{{"attention.encoder_self.layers.7.num_heads=4"}, "attention.encoder_self.layers.7", "the model has 6"},
        RuleCase{{"model.decoder_layers=2", "attention.cross.layers.3.num_heads=4"},
                 "attention.cross.layers.3",
                 "the model has 2"},
        RuleCase{{"attention.output_projection=false"}, "", ""},
        RuleCase{{"attention.output_projection=false", "attention.d_v=32"},
                 "attention.output_projection",
                 "8 * 32 is 256 and d_model is 512"},
        RuleCase{{"attention.cross.output_projection=false", "attention.d_k=ceil", "attention.num_heads=12"},
                 "attention.cross.output_projection",
                 "12 * 43 is 516 and d_model is 512"}));

INSTANTIATE_TEST_SUITE_P(
    Optimizer, Rules,
    ::testing::Values(
        RuleCase{{"optimizer.betas=[0.9]"}, "optimizer.betas", "two numbers"},
        RuleCase{{"optimizer.betas=[0.9,0.99,0.999]"}, "optimizer.betas", "two numbers"},
        RuleCase{{"optimizer.betas=[0.9,1]"}, "optimizer.betas", "below 1"},
        RuleCase{{"optimizer.betas=[0,0]"}, "", ""},
        RuleCase{{"optimizer.lr_scheduler=cosine", "train.max_update=null", "train.max_epoch=1"},
                 "optimizer.lr_scheduler",
                 "train.max_update"},
        RuleCase{{"optimizer.lr_scheduler=cosine", "optimizer.min_lr=1"}, "optimizer.min_lr", "above optimizer.lr"},
        RuleCase{{"optimizer.lr_scheduler=cosine", "optimizer.min_lr=1e-5"}, "", ""},
        RuleCase{{"optimizer.min_lr=1e-5"}, "optimizer.min_lr", "only for lr_scheduler \"cosine\""},
        RuleCase{{"optimizer.lr_scheduler=noam", "optimizer.lr=101"}, "optimizer.lr", "factor"},
        RuleCase{{"optimizer.lr_scheduler=noam", "optimizer.lr=100"}, "", ""},
        RuleCase{{"optimizer.lr_scheduler=noam", "optimizer.lr=1", "optimizer.warmup_init_lr=1e-7"},
                 "optimizer.warmup_init_lr",
                 "noam"},
        RuleCase{{"optimizer.warmup_init_lr=1"}, "optimizer.warmup_init_lr", "above optimizer.lr"},
        RuleCase{{"optimizer.warmup_updates=0"}, "", ""}, RuleCase{{"optimizer.cooldown_updates=10"}, "", ""},
        RuleCase{
            {"optimizer.cooldown_updates=11"}, "optimizer.cooldown_updates", "11 is more than train.max_update, 10"},
        RuleCase{{"optimizer.cooldown_updates=1", "train.max_update=null", "train.max_epoch=1"},
                 "optimizer.cooldown_updates",
                 "needs train.max_update"}));

INSTANTIATE_TEST_SUITE_P(
    TrainAndDecode, Rules,
    ::testing::Values(RuleCase{{"train.max_update=null"}, "train", "would never end"},
                      RuleCase{{"train.max_update=null", "train.max_seconds=0.5"}, "", ""},
                      RuleCase{{"train.max_update=null", "train.max_epoch=1"}, "", ""},
                      RuleCase{and_valid({"train.max_update=null", "train.patience=3"}), "", ""},
                      RuleCase{{"train.patience=3"}, "train.patience", "data.valid"},
                      RuleCase{and_valid({"train.patience=3", "train.validate_interval_updates=0"}), "train.patience",
                               "validate_interval_updates above 0"},
                      RuleCase{{"train.average_last=5"}, "train.average_last", "data.valid"},
                      RuleCase{{"train.average_last=1"}, "train.average_last", "data.valid"},
                      RuleCase{and_valid({"train.average_last=1", "train.validate_interval_updates=0"}), "", ""},
                      RuleCase{and_valid({"train.average_last=5", "train.final_weights=average"}), "", ""},
                      RuleCase{and_valid({"train.final_weights=average"}), "train.final_weights",
                               "average_last of at least 1"},
                      RuleCase{{"train.final_weights=best"}, "train.final_weights", "data.valid"},
                      RuleCase{{"train.final_weights=last"}, "", ""},
                      RuleCase{{"train.validation_bleu=beam"}, "train.validation_bleu", "data.valid"},
                      RuleCase{{"train.best_checkpoint_metric=bleu"}, "train.best_checkpoint_metric", "data.valid"},
                      RuleCase{and_valid({"train.best_checkpoint_metric=bleu", "train.validation_bleu=none"}),
                               "train.best_checkpoint_metric", "greedy"},
                      RuleCase{and_valid({"train.best_checkpoint_metric=bleu"}), "", ""},
                      RuleCase{{"decode.nbest=6"}, "decode.nbest", "6 is more than decode.beam, 5"},
                      RuleCase{{"decode.nbest=6", "decode.beam=6"}, "", ""}));

TEST(CheckConfig, BlamesTheFileOfTheKey) {
  const ConfigFiles files;
  EXPECT_THAT(files.refusal_of_file(R"("attention": {"num_heads": 3})"),
              HasSubstr("attention.num_heads (" + (files / "x.json").string() + ")"));
}

TEST(CheckConfig, ReportsEveryPlaceThatIsWrongOnce) {
  const ConfigFiles files;
  const std::string message =
      files.refusal({"attention.num_heads=3", "attention.cross.num_heads=5", "attention.cross.layers.1.num_heads=7"});
  EXPECT_EQ(problem_count(message), 3U) << message;
}

}  // namespace
}  // namespace mha
