#pragma once

#include <string>

#include "data/vocabulary.h"

namespace mha {

/// From the bytes of a SentencePiece model. `origin` names it in messages. Throws UserError if it is damaged or its
/// special ids differ from SpecialIds.
VocabularyPtr sentencepiece_vocabulary(std::string model, const std::string& origin);

/// From a list of words, one a line, ids from 4 on. Throws UserError naming the line for an empty, repeated or special
/// word and for one with white space inside.
VocabularyPtr word_vocabulary(std::string list, const std::string& origin);

}  // namespace mha
