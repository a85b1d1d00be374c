#include "runtime/base/format.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace rondo {
namespace {

// A text that is cut where it ends, but counted whole.
class Writer {
 public:
  Writer(char* text, size_t bytes) : text_(text), room_(bytes > 0 ? bytes - 1 : 0) {
    if (bytes > 0) *text_ = '\0';
  }
  void Put(std::string_view part) {
    const size_t at = std::min(size_, room_);
    const size_t fits = std::min(part.size(), room_ - at);
    if (fits > 0) {
      std::memcpy(text_ + at, part.data(), fits);
      text_[at + fits] = '\0';
    }
    size_ += part.size();
  }
  void Put(char c, size_t times) {
    for (size_t i = 0; i < times; ++i) Put({&c, 1});
  }
  size_t size() const { return size_; }

 private:
  char* const text_;
  const size_t room_;
  size_t size_ = 0;
};

// What stands between '%' and the conversion.
struct Spec {
  bool zeros = false;  // fill up to `width`
  bool prefix = false;
  int width = 0;
  int precision = -1;  // none
  int longs = 0;       // how many l an integer has
};

void PutInteger(Writer& out, const Spec& spec, uint64_t magnitude, bool negative, int base) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, magnitude, base).ptr;
  const auto size = static_cast<size_t>(end - digits);
  const std::string_view sign = negative ? "-" : "";
  const std::string_view prefix = spec.prefix && base == 16 && magnitude != 0 ? "0x" : "";
  const size_t whole = sign.size() + prefix.size() + size;
  const size_t fill = static_cast<size_t>(spec.width) > whole ? spec.width - whole : 0;
  if (!spec.zeros) out.Put(' ', fill);
  out.Put(sign);
  out.Put(prefix);
  if (spec.zeros) out.Put('0', fill);
  out.Put({digits, size});
}

// Exact up to 10^22.
double PowerOfTen(int exponent) {
  double power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

// What a product loses when it is rounded (Dekker 1971): not every system's fma keeps that. The
// factors' halves must not be infinite.
double LostBy(double product, double a, double b) {
  constexpr double kHalf = (1 << 27) + 1;
  const double a_high = kHalf * a - (kHalf * a - a), b_high = kHalf * b - (kHalf * b - b);
  const double a_low = a - a_high, b_low = b - b_high;
  return a_high * b_high - product + a_high * b_low + a_low * b_high + a_low * b_low;
}

// value * scale, rounded to a whole number, halves to the even one: what the product loses decides
// where it lies halfway.
double Rounded(double value, double scale) {
  const double product = value * scale;
  const double lost = LostBy(product, value, scale);
  const double rounded = std::nearbyint(product);
  if (product - rounded == 0.5 && lost > 0) return rounded + 1;
  if (product - rounded == -0.5 && lost < 0) return rounded - 1;
  return rounded;
}

// Digits of `value`, which is not negative and below 10^15, with so many behind the point.
void PutFixed(Writer& out, double value, int places) {
  const double scale = PowerOfTen(places);
  const double scaled = Rounded(value, scale);
  const auto whole = static_cast<uint64_t>(scaled / scale);
  const auto part = static_cast<uint64_t>(scaled - static_cast<double>(whole) * scale);
  PutInteger(out, {}, whole, false, 10);
  if (places == 0) return;
  out.Put('.', 1);
  Spec spec;
  spec.zeros = true;
  spec.width = places;
  PutInteger(out, spec, part, false, 10);
}

// As "%g": six digits, without zeros at the end, and with an exponent where that is below -4 or
// above 5.
void PutGeneral(Writer& out, double value) {
  constexpr int kDigits = 6;
  if (value == 0) return out.Put('0', 1);
  // Nearly the power of ten, from that of two.
  int exponent = static_cast<int>(std::floor(std::ilogb(value) * 0.30103));
  const auto scaled = [value](int places) {
    if (places < 0) return std::nearbyint(value / PowerOfTen(-places));
    // In two steps: the power for a number near the smallest would be infinite.
    const int first = std::max(places - 300, 0);
    return Rounded(value * PowerOfTen(first), PowerOfTen(places - first));
  };
  double digits = scaled(kDigits - 1 - exponent);
  if (digits >= 1e6) digits = scaled(kDigits - 1 - ++exponent);
  if (digits < 1e5) digits = scaled(kDigits - 1 - --exponent);
  char text[kDigits + 1];
  std::to_chars(text, text + sizeof text, static_cast<uint32_t>(digits));
  size_t used = kDigits;
  while (used > 1 && text[used - 1] == '0') --used;
  const std::string_view all(text, used);
  const auto before = static_cast<size_t>(std::max(exponent + 1, 0));  // digits before the point
  if (exponent < -4 || exponent >= kDigits) {
    out.Put(all.substr(0, 1));
    if (used > 1) out.Put('.', 1);
    out.Put(all.substr(1));
    out.Put('e', 1);
    out.Put(exponent < 0 ? '-' : '+', 1);
    Spec spec;
    spec.zeros = true;
    spec.width = 2;
    PutInteger(out, spec, static_cast<uint64_t>(std::abs(exponent)), false, 10);
  } else if (exponent < 0) {
    out.Put("0.");
    out.Put('0', static_cast<size_t>(-exponent - 1));
    out.Put(all);
  } else {
    out.Put(all.substr(0, before));
    out.Put('0', before > used ? before - used : 0);
    if (used > before) out.Put('.', 1);
    if (used > before) out.Put(all.substr(before));
  }
}

void PutNumber(Writer& out, const Spec& spec, double value, char conversion) {
  if (std::isnan(value)) return out.Put(std::signbit(value) ? "-nan" : "nan");
  if (std::signbit(value)) out.Put('-', 1);
  value = std::fabs(value);
  if (std::isinf(value)) return out.Put("inf");
  const bool is_fixed = conversion == 'f' && value < 1e15;
  is_fixed ? PutFixed(out, value, spec.precision < 0 ? 6 : spec.precision) : PutGeneral(out, value);
}

}  // namespace

size_t FormatV(char* text, size_t text_bytes, const char* format, va_list arguments) {
  Writer out(text, text_bytes);
  va_list args;  // which functions may take by reference
  va_copy(args, arguments);
  const auto number = [&] { return va_arg(args, int); };
  for (const char* at = format; *at != '\0';) {
    const char* const percent = std::strchr(at, '%');
    if (percent == nullptr) {
      out.Put(at);
      break;
    }
    out.Put({at, static_cast<size_t>(percent - at)});
    at = percent + 1;
    Spec spec;
    for (; *at == '0' || *at == '#'; ++at) (*at == '0' ? spec.zeros : spec.prefix) = true;
    const auto read = [&] {
      if (*at == '*') return ++at, number();
      int value = 0;
      for (; *at >= '0' && *at <= '9'; ++at) value = value * 10 + (*at - '0');
      return value;
    };
    spec.width = std::max(read(), 0);
    if (*at == '.') {
      ++at;
      spec.precision = read();
    }
    for (; *at == 'l'; ++at) ++spec.longs;
    const bool is_size = *at == 'z', is_difference = *at == 't';
    if (is_size || is_difference) ++at;
    const char conversion = *at == '\0' ? '%' : *at++;
    switch (conversion) {
      case 'c':
        out.Put(static_cast<char>(number()), 1);
        break;
      case 's': {
        const char* string = va_arg(args, const char*);
        if (string == nullptr) string = "(null)";
        const size_t most = spec.precision < 0 ? SIZE_MAX : static_cast<size_t>(spec.precision);
        size_t size = 0;  // the text need not end within its precision
        while (size < most && string[size] != '\0') ++size;
        out.Put({string, size});
        break;
      }
      case 'd': {
        const int64_t value = is_size || is_difference ? va_arg(args, ptrdiff_t)
                              : spec.longs == 0        ? va_arg(args, int)
                              : spec.longs == 1        ? va_arg(args, long)
                                                       : va_arg(args, long long);
        const uint64_t magnitude = value < 0 ? ~static_cast<uint64_t>(value) + 1 : value;
        PutInteger(out, spec, magnitude, value < 0, 10);
        break;
      }
      case 'u':
      case 'x': {
        const uint64_t value = is_size || is_difference ? va_arg(args, size_t)
                               : spec.longs == 0        ? va_arg(args, unsigned)
                               : spec.longs == 1        ? va_arg(args, unsigned long)
                                                        : va_arg(args, unsigned long long);
        PutInteger(out, spec, value, false, conversion == 'x' ? 16 : 10);
        break;
      }
      case 'f':
      case 'g':
        PutNumber(out, spec, va_arg(args, double), conversion);
        break;
      default:
        out.Put(conversion, 1);
    }
  }
  va_end(args);
  return out.size();
}

size_t Format(char* text, size_t text_bytes, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const size_t size = FormatV(text, text_bytes, format, arguments);
  va_end(arguments);
  return size;
}

}  // namespace rondo
