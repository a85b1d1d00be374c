// The texts that every converted tokenizer carries with their ids.
#pragma once

#include <array>
#include <string_view>

namespace rondo::convert {

// Each stands for what goes wrong between builds: Unicode tables, regular expressions, byte order.
inline constexpr std::array<std::string_view, 12> kGoldenTexts = {
    "Hello, world! It's a test, isn't it? WE'LL SEE.",
    "  leading, double  and trailing spaces   \n\n\ttabs and\r\nnewlines \n ",
    "3.14159 and 1234567890 in 2024, 1/2 or \u00BD, x\u00B2 and \u2167, \u0663\u0664",
    "int main(void) { return a[i] != NULL ? *p++ : -1; } // #include <stdio.h>",
    "na\u00EFve caf\u00E9, cafe\u0301, \u212Bngstr\u00F6m, \u1E69 s\u0323\u0307 s\u0307\u0323",
    "\u4F60\u597D\uFF0C\u4E16\u754C\u3002\u3053\u3093\u306B\u3061\u306F\u3001\u4E16\u754C\uFF01 "
    "\uC548\uB155\uD558\uC138\uC694 \u1112\u1161\u11AB",
    "\u041F\u0440\u0438\u0432\u0435\u0442, \u03BA\u03CC\u03C3\u03BC\u03B5! "
    "\u0645\u0631\u062D\u0628\u0627 \u05E9\u05DC\u05D5\u05DD",
    "\u0928\u092E\u0938\u094D\u0924\u0947 \u0E2A\u0E27\u0E31\u0E2A\u0E14\u0E35 "
    "\u0BB5\u0BA3\u0B95\u0BCD\u0B95\u0BAE\u0BCD",
    "\U0001F600\U0001F468\u200D\U0001F469\u200D\U0001F467 \U0001F1FA\U0001F1F3 \u2764\uFE0F "
    "\U0001FAE9",
    "a\u00A0b\u2003c\u3000d\u180Ee\u0085f\u200Bg\u2028h",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!!!!!!!!!!!!!!!!!!!!!!",
    "<s></s><unk><|endoftext|><|im_start|>user\n[INST] \u2581 <0x41>",
};

}  // namespace rondo::convert
