#include "runtime/chat/jinja/clock_text.h"

#include <algorithm>

#include "runtime/base/format.h"
#include "runtime/chat/jinja/text_form.h"

namespace rondo::jinja {
namespace {

constexpr std::string_view kDays[] = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                      "Friday", "Saturday", "Sunday"};
constexpr std::string_view kMonths[] = {"January",   "February", "March",    "April",
                                        "May",       "June",     "July",     "August",
                                        "September", "October",  "November", "December"};

// Years 1 to 9999, as Python's datetime.
constexpr int64_t kEarliest = -62135596800, kLatest = 253402300799;

constexpr uint64_t kFieldSteps = 8;  // of writing a field

struct Calendar {
  int year, month, day;  // month and day from 1
  int hour, minute, second;
  int weekday, day_of_year;  // from 0: Monday; from 1
};

bool IsLeap(int year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int DaysOfMonth(int year, int month) {
  static constexpr int kDaysOfMonth[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return kDaysOfMonth[month - 1] + (month == 2 && IsLeap(year) ? 1 : 0);
}

Calendar Break(int64_t seconds) {
  int64_t days = (seconds - kEarliest) / 86400;  // since 1 January of year 1, a Monday
  const auto rest = static_cast<int>((seconds - kEarliest) % 86400);
  Calendar c = {};
  c.hour = rest / 3600;
  c.minute = rest / 60 % 60;
  c.second = rest % 60;
  c.weekday = static_cast<int>(days % 7);
  c.year = 1 + static_cast<int>(days / 146097 * 400);  // whole cycles of the calendar
  days %= 146097;
  while (days >= (IsLeap(c.year) ? 366 : 365)) days -= IsLeap(c.year++) ? 366 : 365;
  c.day_of_year = static_cast<int>(days) + 1;
  c.month = 1;
  while (days >= DaysOfMonth(c.year, c.month)) days -= DaysOfMonth(c.year, c.month++);
  c.day = static_cast<int>(days) + 1;
  return c;
}

// What a conversion shows: a name, or a number with zeros up to its width.
struct Field {
  char conversion;
  std::string_view name;
  int number = 0, width = 0;
};

bool FindField(const Calendar& c, char conversion, Field* field) {
  const Field fields[] = {{'a', kDays[c.weekday].substr(0, 3)},
                          {'A', kDays[c.weekday]},
                          {'b', kMonths[c.month - 1].substr(0, 3)},
                          {'B', kMonths[c.month - 1]},
                          {'d', {}, c.day, 2},
                          {'H', {}, c.hour, 2},
                          {'I', {}, (c.hour + 11) % 12 + 1, 2},
                          {'j', {}, c.day_of_year, 3},
                          {'m', {}, c.month, 2},
                          {'M', {}, c.minute, 2},
                          {'p', c.hour < 12 ? "AM" : "PM"},
                          {'S', {}, c.second, 2},
                          {'y', {}, c.year % 100, 2},
                          {'Y', {}, c.year, 1},
                          {'%', "%"}};
  for (const Field& candidate : fields) {
    if (candidate.conversion != conversion) continue;
    *field = candidate;
    return true;
  }
  return false;
}

}  // namespace

Value FormatTime(Machine& machine, std::string_view format, int64_t seconds) {
  if (seconds < kEarliest || seconds > kLatest) {
    machine.Fail("the clock's year is not within 1 to 9999");
    return Value();
  }
  const Calendar calendar = Break(seconds);
  Buffer out(machine);
  for (size_t i = 0; i < format.size() && machine.Spend(1); ++i) {
    if (format[i] != '%') {
      out.Append(format[i]);
      continue;
    }
    const bool bare = format.substr(i + 1).starts_with('-');  // without zeros
    i += bare ? 2 : 1;
    if (!machine.Spend(kFieldSteps)) return Value();
    Field field = {};
    if (i >= format.size() || !FindField(calendar, format[i], &field)) {
      machine.Fail("strftime_now() does not know '%%%s'",
                   machine.Clip(format.substr(std::min(i, format.size()))));
      return Value();
    }
    char digits[16];
    Format(digits, sizeof digits, "%0*d", bare ? 1 : field.width, field.number);
    out.Append(field.width == 0 ? field.name : std::string_view(digits));
  }
  return out.Finish();
}

}  // namespace rondo::jinja
