#include "data/cache_folder.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/stop.h"

namespace mha {

std::string hash_files(const PathList& files) {
  Sha256 all;
  for (const auto& file : files) {
    throw_if_stopped();
    check_read_twice(file);
    all.update(sha256_file(file)).update("\n");
  }
  return all.hex();
}

void make_once(const std::filesystem::path& path, const std::function<bool()>& is_there,
               const std::function<void()>& make) {
  if (is_there()) return;
  make_directories(path.parent_path());
  const FileLock lock(path.parent_path() / ("." + path.filename().string() + ".lock"),
                      FileLock::Waiting{"another process makes " + path.string() + ": waiting for it"});
  if (is_there()) return;  // another process made it while this one waited
  std::error_code ignored;
  // Whoever holds the lock is the only maker, so a temporary file is that of a process that was killed.
  for (const auto& entry : std::filesystem::directory_iterator(path.parent_path())) {
    if (entry.path().filename().string().starts_with(path.filename().string() + ".tmp"))
      std::filesystem::remove(entry.path(), ignored);
  }
  make();
}

}  // namespace mha
