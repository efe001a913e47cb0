#include "config/writer.h"

#include "config/config.h"

namespace mha {

json config_to_json(const RunConfig& config) { return section_to_json(config); }

}  // namespace mha
