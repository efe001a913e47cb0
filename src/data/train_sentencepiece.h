#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "config/data_config.h"

namespace mha {

/// Gives the training text line by line; false at the end.
using LineSource = std::function<bool(std::string& line)>;

/// The bytes of a SentencePiece model of at most config.size subwords (fewer if the text does not hold so many) with
/// the ids of SpecialIds. The same text gives the same bytes. Text is taken as it is (normalisation rule `identity`),
/// so that decode(encode(text)) == text for clean text of known characters; an unknown character is decoded as U+2047.
///
/// Trained in a child process, where `lines` is called: SentencePiece cannot be interrupted and ends the process on
/// some errors. Throws UserError with its message if it fails, Interrupted within 0.1 s if a stop is asked for.
std::string train_sentencepiece(const VocabConfig& config, const LineSource& lines);

}  // namespace mha
