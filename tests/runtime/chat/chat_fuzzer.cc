// Any template, messages and variables: there is an answer.
#include "tests/runtime/chat/render.h"
#include "tests/runtime/chat/template_pieces.h"
#include "tests/support/fuzzing.h"

namespace {

constexpr const char* kTemplates[] = {
    "{% for m in messages %}<|{{ m.role }}|>{{ m['content'] | trim }}\n{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}",
    "{%- macro f(a, b=2) -%}{{ a ~ b }}{%- endmacro -%}{{ f(1) }}{% set ns = namespace(n=0) %}"
    "{% for k, v in x.items() if v %}{% set ns.n = ns.n + loop.index0 %}{{ k|tojson(indent=2) }}"
    "{% else %}-{% endfor %}{{ ns.n }}",
    "{{ messages[::-1][0].content.split(' ')[-1] }}{{ raise_exception('no') }}",
    "{{ strftime_now('%d %b %Y') }}{{ x|default([1, 2.5, 'a'])|join(', ') }}"};
constexpr const char* kMessages = R"([{"role": "user", "content": "h\u00e9 \ud83d\ude00"}])";

}  // namespace

std::vector<std::string> FirstInputs() {
  const auto input = [](const std::string& text) {
    return text + '\0' + kMessages + '\0' + R"({"x": {"k": [3, 1.5, "a", null]}})";
  };
  std::vector<std::string> inputs;
  for (const char* text : kTemplates) inputs.push_back(input(text));
  for (const char* piece : rondo::kTemplatePieces) inputs.emplace_back(piece);
  return inputs;
}

// The template, the messages and the variables, with a zero between them.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const auto next = [&rest] {
    const std::string_view part = rest.substr(0, rest.find('\0'));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    return part;
  };
  rondo::ChatRequest request;
  request.template_text = next();
  request.messages = next();
  if (request.messages.empty()) request.messages = kMessages;
  request.variables = next();
  request.local_time = rondo::test::kTestClock;
  request.add_generation_prompt = size % 2 == 0;
  const rondo::test::Rendered rendered = rondo::test::Render(request);
  if (!rendered.status.ok()) EXPECT_NE(rendered.status.message()[0], '\0');
  request.mark_outside = true;
  const rondo::test::Rendered marked = rondo::test::Render(request);
  if (!rendered.status.ok() || !marked.status.ok()) return 0;  // marks take memory, too
  EXPECT_EQ(marked.text, rendered.text);
  if (!marked.outside.empty()) EXPECT_EQ(marked.outside.size(), marked.text.size());
  return 0;
}
