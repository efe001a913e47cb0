#pragma once

namespace mha {

/// The project's version, e.g. "0.1.0".
const char* version();

/// The first 12 digits of the commit this was built from, with "-dirty" appended if tracked files differed from it;
/// "unknown" when built outside a repository.
const char* version_commit();

}  // namespace mha
