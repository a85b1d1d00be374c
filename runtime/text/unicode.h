// The Unicode properties that tokenisation asks for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace rondo {

// White_Space: what the added tokens' strip flags take along.
bool IsWhitespace(uint32_t code_point);
// How many bytes of it a text in UTF-8 begins with.
size_t LeadingWhitespace(std::span<const uint8_t> text);
// General category N (decimal digits, letter numbers, other numbers).
bool IsNumeral(uint32_t code_point);
// General category P, or one of the 32 punctuation characters of ASCII (which has some of S).
bool IsPunctuation(uint32_t code_point);
// General category M: characters that combine with the one before them.
bool IsMark(uint32_t code_point);
// The lower case of one character; of U+0130, the only one with two, the first.
uint32_t ToLowercase(uint32_t code_point);
// Letters, marks, decimal digits, letter numbers, connectors, joiners: what words are made of.
bool IsWordCharacter(uint32_t code_point);

// True where normalising (NFC) the text before this character and the text from it on apart
// gives the same as normalising both at once. May say false too often, never true wrongly.
bool StartsNormalization(uint32_t code_point);

// The printable character that byte-level BPE writes for a byte: itself where printable in
// Latin-1, else one from U+0100 on.
uint32_t ByteAlphabet(uint8_t byte);

}  // namespace rondo
