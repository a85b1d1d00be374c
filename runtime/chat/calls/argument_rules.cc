// Arguments by their schemas, in a form that is not JSON's.
#include "runtime/chat/calls/marked_text.h"
#include "runtime/chat/calls/rules.h"
#include "runtime/chat/calls/tool_table.h"

namespace rondo::calls {
namespace {

using jinja::Dict;
using jinja::Kind;
using jinja::Value;

constexpr int kMaxDepth = 32;

// Keywords that say nothing of a value.
constexpr std::string_view kNotes[] = {"title",    "description", "default",  "examples", "example",
                                       "$comment", "deprecated",  "readOnly", "writeOnly"};

template <size_t n>
bool IsOneOf(std::string_view word, const std::string_view (&words)[n]) {
  for (const std::string_view each : words) {
    if (word == each) return true;
  }
  return false;
}

class ArgumentWriter {
 public:
  ArgumentWriter(const CallForm& form, std::string_view where, Rules* rules)
      : form_(form), where_(where), rules_(*rules), machine_(rules->machine()) {}

  void Write(Value parameters) {
    const Value type = Member(machine_, parameters, "type");
    if (!parameters.is_undefined() && !parameters.is(Kind::kDict)) {
      return Refuse("#", "is no JSON object");
    }
    if (type.is_string() && type.str() != "object") {
      return Refuse("#/type", "is not object");
    }
    if (form_.kind == ArgumentsKind::kJson) return WriteJson(parameters, type.is_string());
    if (form_.kind == ArgumentsKind::kNotation) return WriteObject(parameters, "#", 0);
    WriteTags(parameters);
  }

 private:
  void Refuse(std::string_view path, std::string_view what) {
    machine_.FailWith(Status::Error(StatusCode::kUnsupported,
                                    "%s: %s %s, which the chat template's form of calls cannot "
                                    "hold",
                                    machine_.Clip(where_), machine_.Clip(path),
                                    machine_.Clip(what)));
  }

  // The keywords of a schema but for those that are known; false after a refusal.
  template <size_t n>
  bool HasOnly(Value schema, std::string_view path, const std::string_view (&known)[n]) {
    if (!schema.is(Kind::kDict)) return true;
    for (const Dict::Entry& entry : schema.dict->all()) {
      const std::string_view key = entry.key.is_string() ? entry.key.str() : "";
      if (IsOneOf(key, kNotes) || IsOneOf(key, known)) continue;
      Refuse(Join(path, key), "is a keyword");
      return false;
    }
    return true;
  }

  std::string_view Join(std::string_view path, std::string_view name) {
    TextBuilder joined(machine_);
    joined.Append({path, "/", name});
    return joined.view();
  }

  // An object at least.
  void WriteJson(Value parameters, bool has_type) {
    if (has_type) return rules_.Json(parameters);
    Dict* schema = jinja::NewDict(machine_);
    jinja::Put(machine_, schema, "type", jinja::ViewString(machine_, "object"));
    if (parameters.is(Kind::kDict)) {
      for (const Dict::Entry& entry : parameters.dict->all()) {
        jinja::Put(machine_, schema, entry.key, entry.value);
      }
    }
    rules_.Json(Value::Mapping(Kind::kDict, schema));
  }

  bool IsRequired(Value parameters, Value name) {
    const Value required = Member(machine_, parameters, "required");
    if (!required.is(Kind::kList)) return false;
    for (size_t i = 0; i < required.sequence->count; ++i) {
      if (jinja::Equal(machine_, required.sequence->items[i], name)) return true;
    }
    return false;
  }

  // ---- Tags ----

  void WriteTags(Value parameters) {
    constexpr std::string_view kKnown[] = {"type",    "properties", "required",
                                           "$schema", "strict",     "additionalProperties",
                                           "$defs",   "definitions"};
    if (!HasOnly(parameters, "#", kKnown)) return;
    const Value properties = Member(machine_, parameters, "properties");
    if (!properties.is(Kind::kDict)) return;
    for (const Dict::Entry& entry : properties.dict->all()) {
      if (machine_.failed()) return;
      const std::string_view key = entry.key.str();
      if (key.empty() || key.size() > kMaxName || key.find(Trim(form_.string_value)) != key.npos ||
          key.find(Trim(form_.other_value)) != key.npos) {
        return Refuse(Join("#/properties", key), "has a name");
      }
      const ValueType type = TypeOf(machine_, entry.value);
      rules_.Raw(" (");
      rules_.Pattern(form_.open);
      rules_.Raw(" ");
      rules_.Quoted(entry.key.str());
      rules_.Pattern(type == ValueType::kString ? form_.string_value : form_.other_value);
      rules_.Raw(" ");
      if (type == ValueType::kString) {
        WriteText(entry.value, Join("#/properties", entry.key.str()));
      } else {
        rules_.Json(WithDefinitions(parameters, entry.value));
      }
      rules_.Pattern(form_.close);
      rules_.Raw(IsRequired(parameters, entry.key) ? ")" : ")?");
    }
  }

  // A string as it is, up to what closes it.
  void WriteText(Value schema, const std::string_view path) {
    constexpr std::string_view kKnown[] = {"type", "enum", "const"};
    if (!HasOnly(schema, path, kKnown) || WriteChoices(schema, {}, path)) return;
    rules_.Without(Trim(form_.close));
  }

  // References are to what the parameters define.
  Value WithDefinitions(Value parameters, Value schema) {
    if (!schema.is(Kind::kDict)) return schema;
    Dict* whole = jinja::NewDict(machine_);
    for (const std::string_view name : {"$defs", "definitions"}) {
      const Value definitions = Member(machine_, parameters, name);
      if (definitions.is(Kind::kDict)) jinja::Put(machine_, whole, name, definitions);
    }
    for (const Dict::Entry& entry : schema.dict->all()) {
      jinja::Put(machine_, whole, entry.key, entry.value);
    }
    return Value::Mapping(Kind::kDict, whole);
  }

  // The values of enum or const, strings with `quote` around; false where it has neither.
  bool WriteChoices(Value schema, std::string_view quote, std::string_view path) {
    Value choices = Member(machine_, schema, "enum");
    const Value constant = Member(machine_, schema, "const");
    if (!constant.is_undefined()) {
      jinja::Sequence* one = jinja::NewSequence(machine_, 1);
      if (one == nullptr) return true;
      jinja::Append(machine_, one, constant);
      choices = Value::Items(Kind::kList, one);
    }
    if (!choices.is(Kind::kList)) return false;
    if (choices.sequence->count == 0) Refuse(path, "has an empty enum");
    rules_.Raw("(");
    for (size_t i = 0; i < choices.sequence->count; ++i) {
      const Value choice = choices.sequence->items[i];
      if (i > 0) rules_.Raw(" | ");
      if (choice.is_string()) {
        const std::string_view stop = quote.empty() ? Trim(form_.close) : quote;
        if (choice.str().find(stop) != choice.str().npos) Refuse(path, "has what ends a string");
        rules_.Pattern(quote);
        rules_.Raw(" ");
        rules_.Quoted(choice.str());
        rules_.Pattern(quote);
      } else if (choice.is(Kind::kDict) || choice.is(Kind::kList)) {
        Refuse(path, "has an enum of more than words and numbers");
      } else {
        const Value json = jinja::ToJson(machine_, choice, {});
        if (json.is_string()) rules_.Quoted(json.str());
      }
    }
    rules_.Raw(")");
    return true;
  }

  // ---- A notation ----

  void WriteValue(Value schema, std::string_view path, int depth) {
    if (depth > kMaxDepth) return Refuse(path, "has too many levels");
    if (machine_.failed()) return;
    const Value type = Member(machine_, schema, "type");
    if (!type.is_string()) {
      constexpr std::string_view kKnown[] = {"enum", "const"};
      if (!HasOnly(schema, path, kKnown)) return;
      if (!WriteChoices(schema, form_.quote, path)) rules_.Raw("value");
      return;
    }
    if (type.str() == "object") return WriteObject(schema, path, depth);
    if (type.str() == "array") return WriteArray(schema, path, depth);
    if (type.str() != "string") return rules_.Json(schema);
    constexpr std::string_view kKnown[] = {"type", "enum", "const"};
    if (!HasOnly(schema, path, kKnown) || WriteChoices(schema, form_.quote, path)) return;
    rules_.Raw("string");
  }

  void WriteArray(Value schema, std::string_view path, int depth) {
    constexpr std::string_view kKnown[] = {"type", "items"};
    if (!HasOnly(schema, path, kKnown)) return;
    const Value items = Member(machine_, schema, "items");
    const std::string_view below = Join(path, "items");
    rules_.Raw("(\"[\" (");
    WriteValue(items, below, depth + 1);
    rules_.Raw(" (");
    rules_.Pattern(form_.comma);
    rules_.Raw(" ");
    WriteValue(items, below, depth + 1);
    rules_.Raw(")*)? \"]\")");
  }

  void WriteMember(const Dict::Entry& entry, std::string_view its_path, int depth) {
    const std::string_view name = entry.key.str();
    const std::string_view path = Join(Join(its_path, "properties"), name);
    for (const char c : name) {
      const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                         (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
      if (!plain && !form_.keys_quoted)
        return Refuse(path, "has a name of more than letters and digits");
    }
    if (form_.keys_quoted) rules_.Pattern(form_.quote);
    rules_.Raw(" ");
    rules_.Quoted(name);
    if (form_.keys_quoted) rules_.Pattern(form_.quote);
    rules_.Pattern(form_.colon);
    rules_.Raw(" ");
    WriteValue(entry.value, path, depth + 1);
  }

  // Members in the schema's order. The first that is there has no comma before it.
  void WriteObject(Value schema, std::string_view path, int depth) {
    constexpr std::string_view kKnown[] = {"type", "properties", "required", "additionalProperties",
                                           "$schema"};
    if (!HasOnly(schema, path, kKnown)) return;
    const Value properties = Member(machine_, schema, "properties");
    if (!properties.is(Kind::kDict) || properties.dict->count == 0) {
      const Value more = Member(machine_, schema, "additionalProperties");
      const bool none = (more.is(Kind::kBool) && !more.boolean) || depth == 0;
      return rules_.Raw(none ? "\"{}\"" : "object");
    }
    const Dict& dict = *properties.dict;
    rules_.Raw("(\"{\" (");
    bool some = false;  // one of those before is required
    for (size_t first = 0; first < dict.count && !some && !machine_.failed(); ++first) {
      if (first > 0) rules_.Raw(" | ");
      WriteMember(dict.entries[first], path, depth);
      for (size_t i = first + 1; i < dict.count && !machine_.failed(); ++i) {
        rules_.Raw(" (");
        rules_.Pattern(form_.comma);
        WriteMember(dict.entries[i], path, depth);
        rules_.Raw(IsRequired(schema, dict.entries[i].key) ? ")" : ")?");
      }
      some = IsRequired(schema, dict.entries[first].key);
    }
    rules_.Raw(some ? ") \"}\")" : ")? \"}\")");
  }

  const CallForm& form_;
  const std::string_view where_;
  Rules& rules_;
  jinja::Machine& machine_;
};

}  // namespace

void WriteArguments(const CallForm& form, Value parameters, std::string_view where, Rules* rules) {
  ArgumentWriter(form, where, rules).Write(parameters);
}

}  // namespace rondo::calls
