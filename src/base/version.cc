#include "base/version.h"

#include "mha_version.h"  // made by cmake/Version.cmake

namespace mha {

const char* version() { return MHA_VERSION; }

const char* version_commit() { return MHA_COMMIT; }

}  // namespace mha
