// FormatTime: strftime, from a number of seconds alone: no time zone, no locale.
#include <cstdio>

#include "runtime/chat/jinja/builtins.h"
#include "runtime/chat/jinja/text_form.h"

namespace rondo::jinja {
namespace {

constexpr std::string_view kDays[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                      "Thursday", "Friday", "Saturday"};
constexpr std::string_view kMonths[] = {"January",   "February", "March",    "April",
                                        "May",       "June",     "July",     "August",
                                        "September", "October",  "November", "December"};

// Years 1 to 9999, as Python's datetime.
constexpr int64_t kEarliest = -62135596800, kLatest = 253402300799;

struct Calendar {
  int year, month, day;  // month 1 to 12
  int hour, minute, second;
  int weekday, day_of_year;  // 0 to 6 from Sunday; 1 to 366
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
  c.weekday = static_cast<int>((days + 1) % 7);
  c.year = 1 + static_cast<int>(days / 146097 * 400);  // whole cycles of the calendar
  days %= 146097;
  while (days >= (IsLeap(c.year) ? 366 : 365)) days -= IsLeap(c.year++) ? 366 : 365;
  c.day_of_year = static_cast<int>(days) + 1;
  c.month = 1;
  while (days >= DaysOfMonth(c.year, c.month)) days -= DaysOfMonth(c.year, c.month++);
  c.day = static_cast<int>(days) + 1;
  return c;
}

// The ISO week and the year that it belongs to.
void IsoWeek(const Calendar& c, int* year, int* week) {
  const int monday_based = (c.weekday + 6) % 7;
  const int thursday = c.day_of_year - monday_based + 3;  // of the same week; 1: 1 January
  *year = c.year;
  int days = IsLeap(c.year) ? 366 : 365;
  int place = thursday;
  if (thursday < 1) {
    --*year;
    place += IsLeap(*year) ? 366 : 365;
  } else if (thursday > days) {
    ++*year;
    place -= days;
  }
  *week = (place - 1) / 7 + 1;
}

class TimeWriter {
 public:
  TimeWriter(Machine& machine, const Calendar& c) : machine_(machine), c_(c), out_(machine) {}

  void Write(std::string_view format) {
    for (size_t i = 0; i < format.size() && machine_.Spend(1); ++i) {
      if (format[i] != '%' || i + 1 == format.size()) {
        out_.Append(format[i]);
        continue;
      }
      char padding = 0;
      if (format[i + 1] == '-' || format[i + 1] == '_' || format[i + 1] == '0')
        padding = format[++i];
      if (i + 1 < format.size()) Field(format[++i], padding);
    }
  }
  Value Finish() { return machine_.failed() ? Value() : out_.Finish(); }

 private:
  // `padding`: '-' none, '_' spaces, '0' zeros, 0: `usual`.
  void Number(int value, int width, char padding, char usual = '0') {
    char text[16];
    const char fill = padding == 0 ? usual : padding;
    std::snprintf(text, sizeof text,
                  fill == '-'   ? "%d"
                  : fill == '_' ? "%*d"
                                : "%0*d",
                  fill == '-' ? value : width, value);
    out_.Append(std::string_view(text));
  }

  void Field(char field, char padding) {
    const int hour12 = c_.hour % 12 == 0 ? 12 : c_.hour % 12;
    int iso_year, iso_week;
    switch (field) {
      case 'a':
        return out_.Append(kDays[c_.weekday].substr(0, 3));
      case 'A':
        return out_.Append(kDays[c_.weekday]);
      case 'b':
      case 'h':
        return out_.Append(kMonths[c_.month - 1].substr(0, 3));
      case 'B':
        return out_.Append(kMonths[c_.month - 1]);
      case 'c':
        return Write("%a %b %e %H:%M:%S %Y");
      case 'C':
        return Number(c_.year / 100, 2, padding);
      case 'd':
        return Number(c_.day, 2, padding);
      case 'D':
      case 'x':
        return Write("%m/%d/%y");
      case 'e':
        return Number(c_.day, 2, padding, '_');
      case 'f':
        return out_.Append("000000");
      case 'F':
        return Write("%Y-%m-%d");
      case 'g':
        IsoWeek(c_, &iso_year, &iso_week);
        return Number(iso_year % 100, 2, padding);
      case 'G':
        IsoWeek(c_, &iso_year, &iso_week);
        return Number(iso_year, 4, padding);
      case 'H':
        return Number(c_.hour, 2, padding);
      case 'I':
        return Number(hour12, 2, padding);
      case 'j':
        return Number(c_.day_of_year, 3, padding);
      case 'k':
        return Number(c_.hour, 2, padding, '_');
      case 'l':
        return Number(hour12, 2, padding, '_');
      case 'm':
        return Number(c_.month, 2, padding);
      case 'M':
        return Number(c_.minute, 2, padding);
      case 'n':
        return out_.Append('\n');
      case 'p':
        return out_.Append(c_.hour < 12 ? "AM" : "PM");
      case 'P':
        return out_.Append(c_.hour < 12 ? "am" : "pm");
      case 'r':
        return Write("%I:%M:%S %p");
      case 'R':
        return Write("%H:%M");
      case 'S':
        return Number(c_.second, 2, padding);
      case 't':
        return out_.Append('\t');
      case 'T':
      case 'X':
        return Write("%H:%M:%S");
      case 'u':
        return Number(c_.weekday == 0 ? 7 : c_.weekday, 1, padding);
      case 'U':
        return Number((c_.day_of_year + 6 - c_.weekday) / 7, 2, padding);
      case 'V':
        IsoWeek(c_, &iso_year, &iso_week);
        return Number(iso_week, 2, padding);
      case 'w':
        return Number(c_.weekday, 1, padding);
      case 'W':
        return Number((c_.day_of_year + 6 - (c_.weekday + 6) % 7) / 7, 2, padding);
      case 'y':
        return Number(c_.year % 100, 2, padding);
      case 'Y':
        return Number(c_.year, padding == 0 ? 1 : 4, padding);
      case 'z':
      case 'Z':
        return;  // a time without a zone has none to name
      case '%':
        return out_.Append('%');
      default:  // as it stands
        out_.Append('%');
        out_.Append(field);
    }
  }

  Machine& machine_;
  const Calendar& c_;
  Buffer out_;
};

}  // namespace

Value FormatTime(Machine& machine, std::string_view format, int64_t seconds) {
  if (seconds < kEarliest || seconds > kLatest) {
    machine.Fail("the clock's year is not within 1 to 9999");
    return Value();
  }
  const Calendar calendar = Break(seconds);
  TimeWriter writer(machine, calendar);
  writer.Write(format);
  return writer.Finish();
}

}  // namespace rondo::jinja
