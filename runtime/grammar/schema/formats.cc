#include "runtime/grammar/pattern.h"
#include "runtime/grammar/schema/compiler.h"

namespace rondo::grammar {
namespace {

struct Format {
  std::string_view name;
  std::string_view pattern;  // of the whole text
};

#define RONDO_DATE                                                                     \
  "(?:\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|"  \
  "[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8]))|(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|" \
  "(?:[02468][048]|[13579][26])00)-02-29)"
#define RONDO_TIME                                                                              \
  "(?:(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?(?:[zZ]|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)" \
  "|23:59:60(?:\\.\\d+)?[zZ])"
#define RONDO_LABEL "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
#define RONDO_BYTE "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)"
#define RONDO_IPV4 RONDO_BYTE "(?:\\." RONDO_BYTE "){3}"
#define RONDO_HEX "[0-9a-fA-F]{1,4}"
#define RONDO_VARIABLE "(?:\\w|%[0-9a-fA-F]{2})(?:[\\w.]|%[0-9a-fA-F]{2})*(?::[1-9]\\d{0,3}|\\*)?"
// Of an address: in a segment of its path, and the same without colons; a host by name; what stands
// behind the path.
#define RONDO_SEGMENT "(?:[a-zA-Z0-9._~!$&'()*+,;=:@-]|%[0-9a-fA-F]{2})"
#define RONDO_NAMED "(?:[a-zA-Z0-9._~!$&'()*+,;=-]|%[0-9a-fA-F]{2})"
#define RONDO_AUTHORITY \
  "//(?:(?:" RONDO_NAMED "|:)*@)?" RONDO_NAMED "*(?::\\d*)?(?:/" RONDO_SEGMENT "*)*"
#define RONDO_ROOTED "/(?:" RONDO_SEGMENT "+(?:/" RONDO_SEGMENT "*)*)?"
#define RONDO_QUERY "(?:\\?(?:" RONDO_SEGMENT "|[/?])*)?(?:#(?:" RONDO_SEGMENT "|[/?])*)?"
#define RONDO_URI                                                                  \
  "[a-zA-Z][a-zA-Z0-9+.-]*:(?:" RONDO_AUTHORITY "|" RONDO_ROOTED "|" RONDO_SEGMENT \
  "+(?:/" RONDO_SEGMENT "*)*)?" RONDO_QUERY

// RFC 3339, RFC 5321 without quoted names, RFC 1123, RFC 4122, RFC 4291, RFC 3986 without addresses
// in brackets, RFC 6570.
constexpr Format kFormats[] = {
    {"date", RONDO_DATE},
    {"time", RONDO_TIME},
    {"date-time", RONDO_DATE "[tT]" RONDO_TIME},
    {"duration",
     "P(?:\\d+W|(?:\\d+Y(?:\\d+M(?:\\d+D)?)?|\\d+M(?:\\d+D)?|\\d+D)(?:T(?:\\d+H(?:\\d+M(?:\\d+S)?)?"
     "|"
     "\\d+M(?:\\d+S)?|\\d+S))?|T(?:\\d+H(?:\\d+M(?:\\d+S)?)?|\\d+M(?:\\d+S)?|\\d+S))"},
    {"email", "[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]+(?:\\.[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]+)*@" RONDO_LABEL
              "(?:\\." RONDO_LABEL ")*"},
    {"hostname", RONDO_LABEL "(?:\\." RONDO_LABEL ")*"},
    {"ipv4", RONDO_IPV4},
    {"ipv6",
     "(?:(?:" RONDO_HEX ":){7}" RONDO_HEX "|(?:" RONDO_HEX ":){1,7}:|(?:" RONDO_HEX
     ":){1,6}:" RONDO_HEX "|(?:" RONDO_HEX ":){1,5}(?::" RONDO_HEX "){1,2}|(?:" RONDO_HEX
     ":){1,4}(?::" RONDO_HEX "){1,3}|(?:" RONDO_HEX ":){1,3}(?::" RONDO_HEX "){1,4}|(?:" RONDO_HEX
     ":){1,2}(?::" RONDO_HEX "){1,5}|" RONDO_HEX ":(?::" RONDO_HEX "){1,6}|:(?::" RONDO_HEX
     "){1,7}|::|(?:" RONDO_HEX ":){6}" RONDO_IPV4 "|::(?:[fF]{4}:)?" RONDO_IPV4 ")"},
    {"uuid", "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"},
    {"uri", RONDO_URI},
    {"uri-reference", "(?:" RONDO_URI "|(?:" RONDO_AUTHORITY "|" RONDO_ROOTED "|(?:" RONDO_NAMED
                      "|@)+(?:/" RONDO_SEGMENT "*)*)?" RONDO_QUERY ")"},
    {"uri-template",
     "(?:[!#$&(-;=?-\\[\\]_a-z~\\u00a0-\\u{10ffff}]|%[0-9a-fA-F]{2}|\\{[+#./"
     ";?&=,!@|]?" RONDO_VARIABLE "(?:," RONDO_VARIABLE ")*\\})*"},
    {"relative-json-pointer", "(?:0|[1-9]\\d*)(?:#|(?:/(?:[^~/]|~[01])*)*)"},
    {"json-pointer", "(?:/(?:[^~/]|~[01])*)*"},
};

}  // namespace

Regex FormatRegex(std::string_view format, Regexes& regexes, Budget& budget) {
  for (const Format& known : kFormats) {
    if (known.name != format) continue;
    const Result<Regex> regex =
        ReadPattern(known.pattern, true, Spelling::kJsonString, regexes, budget);
    return regex.ok() ? *regex : Regexes::kNever;
  }
  return Regexes::kNever;
}

}  // namespace rondo::grammar
