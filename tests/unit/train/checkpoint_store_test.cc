#include "train/checkpoint_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/file.h"
#include "unit/train/train_testing.h"

namespace mha {
namespace {

using ::testing::HasSubstr;
using testing::largest_difference;
using testing::message_of;
using testing::random_tensor;
using testing::same_bytes;
using testing::toy_config;

class CheckpointStoreTest : public testing::TrainTest {
 protected:
  /// A model with its store; the weights and moments are those of `mark`.
  struct Side {
    Side(const std::filesystem::path& folder, std::uint64_t mark, const RunConfig& config = toy_config(),
         std::int64_t keep_last = 2)
        : model(testing::spec_of(config), at::kCPU),
          optimizer(config.optimizer, model.parameters()),
          store({.folder = folder,
                 .model = model_identity(config_to_json(config), testing::kVocab, testing::kVocab),
                 .keep_last = keep_last,
                 .average_last = 2},
                model.parameters(), optimizer) {
      fill(mark);
    }
    void fill(std::uint64_t mark) {
      const auto values = [&](at::Tensor& flat, std::uint64_t key) {
        for (std::size_t i = 0; i < model.parameters().all().size(); ++i) {
          at::Tensor view = model.parameters().view_like(flat, i);
          view.copy_(random_tensor(view.sizes(), 1000 * mark + 100 * key + i));
        }
      };
      values(model.parameters().flat_values(), 1);
      values(optimizer.first_moment(), 2);
      values(optimizer.second_moment(), 3);
    }
    bool equals(Side& other) {
      return same_bytes(model.parameters().flat_values(), other.model.parameters().flat_values()) &&
             same_bytes(optimizer.first_moment(), other.optimizer.first_moment()) &&
             same_bytes(optimizer.second_moment(), other.optimizer.second_moment());
    }
    void save(std::int64_t update) {
      ProgressState progress;
      progress.update = update;
      progress.total.loss = 0.1 * static_cast<double>(update);
      store.save_state(progress);
    }
    ProgressState restore() {
      ProgressState progress;
      EXPECT_TRUE(store.restore(progress));
      return progress;
    }

    Transformer model;
    Optimizer optimizer;
    CheckpointStore store;
  };

  static std::vector<std::string> names(const std::filesystem::path& folder) {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) found.push_back(entry.path().filename());
    std::sort(found.begin(), found.end());
    return found;
  }
  static void damage(const std::filesystem::path& file) {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(-5, std::ios::end);
    stream.put('x');
    ASSERT_TRUE(stream.good());
  }
};

TEST_F(CheckpointStoreTest, AStateComesBackToTheLastBit) {
  const auto path = folder("c");
  Side saved(path, 1), loaded(path, 2);
  saved.save(17);
  EXPECT_FALSE(saved.equals(loaded));
  const ProgressState progress = loaded.restore();
  EXPECT_EQ(progress.update, 17);
  EXPECT_EQ(progress.total.loss, 0.1 * 17);
  EXPECT_TRUE(saved.equals(loaded));
}

TEST_F(CheckpointStoreTest, NothingToRestore) {
  Side side(folder("c"), 1);
  ProgressState progress;
  EXPECT_FALSE(side.store.restore(progress));
}

TEST_F(CheckpointStoreTest, KeepsTheLastFewStates) {
  const auto path = folder("c");
  Side side(path, 1);
  for (const std::int64_t update : {5, 900, 10000000, 123456789}) side.save(update);
  EXPECT_THAT(names(path), ::testing::ElementsAre("state-10000000.safetensors", "state-123456789.safetensors"));
  EXPECT_EQ(side.restore().update, 123456789);
}

TEST_F(CheckpointStoreTest, LeftOverTemporaryFilesAndStrangersAreIgnored) {
  const auto path = folder("c");
  Side side(path, 1);
  side.save(3);
  for (const char* name : {"state-0000009.safetensors.tmp", "state-.safetensors", "state-12a.safetensors",
                           "state-99999999999999999999999.safetensors", "notes.txt"}) {
    write_file(path / name, "half a file");
  }
  EXPECT_EQ(side.restore().update, 3);
}

TEST_F(CheckpointStoreTest, ADamagedStateIsPassedOverWithAWarning) {
  for (const bool cut : {false, true}) {
    const auto path = folder(cut ? "cut" : "flipped");
    Side side(path, 1), loaded(path, 9);
    side.save(10);
    Side newer(path, 2);
    newer.save(20);
    if (cut) {
      std::filesystem::resize_file(path / "state-0000020.safetensors", 1000);
    } else {
      damage(path / "state-0000020.safetensors");
    }
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(loaded.restore().update, 10);
    EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("state-0000020.safetensors"));
    EXPECT_TRUE(loaded.equals(side));
  }
}

TEST_F(CheckpointStoreTest, WeightsUnderTheNameOfAStateArePassedOver) {
  const auto path = folder("c");
  Side side(path, 1), loaded(path, 9);
  side.save(10);
  side.store.save_best(20);
  std::filesystem::rename(path / "best.safetensors", path / "state-0000020.safetensors");
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(loaded.restore().update, 10);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("state-0000020.safetensors: it is not a training"));
  EXPECT_TRUE(loaded.equals(side));
}

TEST_F(CheckpointStoreTest, OnlyDamagedStatesAreAnError) {
  const auto path = folder("c");
  Side side(path, 1);
  side.save(10);
  side.save(20);
  damage(path / "state-0000010.safetensors");
  damage(path / "state-0000020.safetensors");
  ProgressState progress;
  EXPECT_THAT(message_of([&] { side.store.restore(progress); }), HasSubstr("state-0000010.safetensors"));
}

// With one state kept, a damaged file of a later update must not push out the good one that is written next.
TEST_F(CheckpointStoreTest, ADamagedLaterStateDoesNotCrowdOutNewOnes) {
  const auto path = folder("c");
  Side side(path, 1, toy_config(), /*keep_last=*/1);
  side.save(20);
  damage(path / "state-0000020.safetensors");
  side.save(12);
  EXPECT_THAT(names(path), ::testing::ElementsAre("state-0000012.safetensors"));
  EXPECT_EQ(side.restore().update, 12);
}

TEST_F(CheckpointStoreTest, AnotherModelIsRefused) {
  struct Change {
    const char* what;
    std::function<void(RunConfig&)> apply;
  };
  RunConfig base = toy_config();
  base.attention.d_k = ValueOrWord<std::int64_t>::of(8);
  const std::vector<Change> changes = {
      {"model.d_model is 16 in the file and 32", [](RunConfig& c) { c.model.d_model = 32; }},
      {"model.norm is \"pre\"", [](RunConfig& c) { c.model.norm = NormPlace::post; }},
      // The same shapes: 2 heads of 8 or 4 heads of 4.
      {"attention.num_heads is 2 in the file and 4",
       [](RunConfig& c) { c.attention.num_heads = 4, c.attention.d_k = ValueOrWord<std::int64_t>::of(4); }},
      {"attention.cross.num_heads is null in the file and 4",
       [](RunConfig& c) {
         c.attention.cross.patch = json{{"num_heads", 4}, {"d_k", 4}};
       }},
  };
  int number = 0;
  for (const Change& change : changes) {
    RunConfig other = base;
    change.apply(other);
    const auto path = folder("c" + std::to_string(number++));
    Side saved(path, 1, base), loading(path, 2, other), untouched(path, 2, other);
    saved.save(5);
    saved.store.save_best(5);
    ProgressState progress;
    EXPECT_THAT(message_of([&] { loading.store.restore(progress); }), HasSubstr(change.what));
    EXPECT_THAT(
        message_of([&] { read_weights(path / "best.safetensors", loading.store.model(), loading.model.parameters()); }),
        ::testing::AllOf(HasSubstr("best.safetensors"), HasSubstr(change.what)));
    EXPECT_TRUE(loading.equals(untouched));
  }
  // A key that only the file has counts as well.
  RunConfig patched = base;
  patched.attention.cross.patch = json{{"num_heads", 4}, {"d_k", 4}};
  const auto path = folder("patched");
  Side saved(path, 1, patched), loading(path, 2, base);
  saved.save(5);
  ProgressState progress;
  EXPECT_THAT(message_of([&] { loading.store.restore(progress); }),
              HasSubstr("attention.cross.num_heads is 4 in the file and null"));
}

TEST_F(CheckpointStoreTest, WeightsFilesSayWhatIsWrong) {
  const auto path = folder("c");
  Side side(path, 1);
  const json model = side.store.model();
  ParameterStore& parameters = side.model.parameters();
  const auto error = [&] { return message_of([&] { read_weights(path / "w", model, parameters); }); };
  const auto write = [&](std::map<std::string, std::string> metadata,
                         const std::function<void(std::vector<TensorBytes>&)>& change) {
    std::vector<TensorBytes> tensors;
    append_tensors(parameters, parameters.flat_values(), "", tensors);
    change(tensors);
    write_safetensors(path / "w", tensors, metadata);
  };
  const std::map<std::string, std::string> good = {{"format", kWeightsFormat},
                                                   {"format_version", kCheckpointVersion},
                                                   {"model", dump_json(model, -1)},
                                                   {"update", "3"}};
  const auto nothing = [](std::vector<TensorBytes>&) {};
  write(good, nothing);
  EXPECT_EQ(read_weights(path / "w", model, parameters).update, 3);
  auto nameless = good;
  for (const char* update : {"", "x", "99999999999999999999"}) {
    nameless["update"] = update;
    write(nameless, nothing);
    EXPECT_THAT(error(), HasSubstr("after which update"));
  }
  write({}, nothing);
  EXPECT_THAT(error(), HasSubstr("not a checkpoint of mha-train"));
  auto newer = good;
  newer["format_version"] = "9";
  write(newer, nothing);
  EXPECT_THAT(error(), HasSubstr("version is 9"));
  write(good, [](auto& tensors) { tensors.back().shape = {4, 4}; });
  EXPECT_THAT(error(), HasSubstr("decoder.norm.beta"));
  write(good, [](auto& tensors) { tensors.pop_back(); });
  EXPECT_THAT(error(), HasSubstr("decoder.norm.beta"));
  write(good, [](auto& tensors) { tensors.push_back(tensors.back()), tensors.back().name = "one_more"; });
  EXPECT_THAT(error(), HasSubstr("tensors that the model does not have"));
}

// A subword's number means another subword in another vocabulary, however equal the sizes.
TEST_F(CheckpointStoreTest, WeightsOfAnotherVocabularyAreRefused) {
  const auto path = folder("c");
  Side side(path, 1);
  ParameterStore& parameters = side.model.parameters();
  json model = side.store.model();
  write_weights(path / "older", parameters, parameters.flat_values(), {model, 1});
  model[kSourceVocabularyHash] = "aa", model[kTargetVocabularyHash] = "bb";
  write_weights(path / "w", parameters, parameters.flat_values(), {model, 1});
  EXPECT_EQ(read_weights(path / "older", model, parameters).update, 1);
  EXPECT_EQ(read_weights(path / "w", model, parameters).update, 1);
  model[kTargetVocabularyHash] = "cc";
  EXPECT_THAT(message_of([&] { read_weights(path / "w", model, parameters); }),
              HasSubstr("target_vocab_hash is \"bb\" in the file and \"cc\""));
}

TEST_F(CheckpointStoreTest, SnapshotsAreAveraged) {
  const auto path = folder("c");
  Side side(path, 1);
  EXPECT_FALSE(side.store.save_average(10).has_value());
  std::vector<at::Tensor> weights;
  for (std::int64_t update = 1; update <= 3; ++update) {
    side.fill(static_cast<std::uint64_t>(update));
    weights.push_back(side.model.parameters().flat_values().to(at::kDouble));
    EXPECT_EQ(side.store.save_snapshot(update).kind, CheckpointKind::snapshot);
  }
  const auto record = side.store.save_average(3);  // of the last two
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(record->file, "checkpoints/average.safetensors");
  EXPECT_EQ(record->bytes, static_cast<std::int64_t>(std::filesystem::file_size(path / "average.safetensors")));
  Side loaded(path, 9);
  EXPECT_EQ(read_weights(path / "average.safetensors", side.store.model(), loaded.model.parameters()).update, 3);
  EXPECT_LT(largest_difference(loaded.model.parameters().flat_values(), (weights[1] + weights[2]) / 2), 1e-7);

  // A run that went back to update 2 does not mix in what came later.
  side.store.save_average(2);
  read_weights(path / "average.safetensors", side.store.model(), loaded.model.parameters());
  EXPECT_LT(largest_difference(loaded.model.parameters().flat_values(), weights[1]), 1e-7);
}

TEST_F(CheckpointStoreTest, ListsItsFiles) {
  const auto path = folder("c");
  Side side(path, 1);
  side.save(4);
  side.store.save_snapshot(3);
  side.store.save_best(2);
  side.store.save_last(4);
  std::vector<std::pair<CheckpointKind, std::int64_t>> found;
  for (const CheckpointRecord& record : side.store.files()) {
    found.emplace_back(record.kind, record.num_updates);
    EXPECT_GT(record.bytes, 1000);
    EXPECT_TRUE(std::filesystem::exists(path / std::filesystem::path(record.file).filename())) << record.file;
  }
  using enum CheckpointKind;
  EXPECT_THAT(found, ::testing::ElementsAre(std::pair(state, 4), std::pair(snapshot, 3), std::pair(best, 2),
                                            std::pair(last, 4)));
}

}  // namespace
}  // namespace mha
