/* rondo.hpp: rondo.h for C++17, with what C++20 has where it is there. Header only: objects that
 * close themselves, failures as exceptions, containers for buffers. What rondo.h says of a function
 * holds for the member named like it.
 *
 *     rondo::Model model("model.rondo");
 *     rondo::Engine engine(model);
 *     rondo::Session session(engine, options);
 *     for (const rondo::Event& event : session.Stream("Once upon a time")) std::cout << event.text;
 *
 * Nothing here throws while it is destroyed, and what callbacks throw reaches the caller.
 * Objects move and do not copy, but for grammars, adapters and media, whose copies are one. They
 * may be destroyed in any order. */
#ifndef RONDO_RONDO_HPP_
#define RONDO_RONDO_HPP_

#include <rondo/rondo.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>
#if defined(__has_include)
#if __has_include(<version>)
#include <version>
#endif
#endif
#if defined(__cpp_lib_jthread)
#include <stop_token>
#endif

/* The namespace in rondo that all of this is in: abi13u in the header of ABI 13. Structs grow with
 * the ABI, and these classes with them: parts of one program that were compiled with headers of
 * different ABIs have classes of different names, each of which works, and an object that is handed
 * from one to the other is an error when the program is linked. */
#define RONDO_HPP_JOINED(a, b) a##b
#define RONDO_HPP_JOIN(a, b) RONDO_HPP_JOINED(a, b)
#define RONDO_HPP_ABI RONDO_HPP_JOIN(abi, RONDO_ABI_VERSION)

namespace rondo {
inline namespace RONDO_HPP_ABI {

/* A call that failed. */
class Error : public std::runtime_error {
 public:
  Error(int32_t status, const std::string& message)
      : std::runtime_error(message.empty() ? rondo_status_string(status) : message),
        status_(status) {}
  /* RONDO_STATUS_ */
  int32_t status() const { return status_; }

 private:
  int32_t status_;
};

/* Elements that lie elsewhere: a vector's, an array's. */
template <typename T>
class View {
 public:
  View() = default;
  View(T* data, size_t size) : data_(data), size_(size) {}
  template <typename Container, typename = std::enable_if_t<std::is_convertible_v<
                                    decltype(std::data(std::declval<Container&>())), T*>>>
  View(Container&& container)  // NOLINT: as std::span
      : data_(std::data(container)), size_(std::size(container)) {}
  T* data() const { return data_; }
  size_t size() const { return size_; }
  T* begin() const { return data_; }
  T* end() const { return data_ + size_; }
  T& operator[](size_t index) const { return data_[index]; }

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
};
using Ids = View<const int32_t>;

namespace detail {

inline void Check(int32_t status, const char* message = "") {
  if (status != RONDO_STATUS_OK) throw Error(status, message);
}

/* A text that ends with a zero: one inside would cut it. */
inline const char* ZeroEnded(const std::string& text) {
  if (text.size() != std::strlen(text.c_str())) {
    throw Error(RONDO_STATUS_INVALID_ARGUMENT, "a text has a zero byte, which would cut it");
  }
  return text.c_str();
}

/* For calls that end in (message, message_bytes). */
template <typename Call>
void CheckMessage(Call call) {
  char message[512];
  Check(call(message, sizeof message), message);
}

/* For calls that end in (buffer, capacity, length): a text of any length. */
template <typename Call>
std::string TextOutput(Call call) {
  std::string text(256, '\0');
  size_t length = 0;
  int32_t status = call(text.data(), text.size() + 1, &length);
  if (status == RONDO_STATUS_BUFFER_TOO_SMALL) {
    text.resize(length);
    status = call(text.data(), text.size() + 1, &length);
  }
  Check(status);
  text.resize(length);
  return text;
}

/* For calls that end in (message, message_bytes); false: there was no room for an output. */
template <typename Call>
bool Fits(Call call) {
  int32_t status = RONDO_STATUS_OK;
  CheckMessage([&](char* message, size_t bytes) {
    status = call(message, bytes);
    return status == RONDO_STATUS_BUFFER_TOO_SMALL ? RONDO_STATUS_OK : status;
  });
  return status == RONDO_STATUS_OK;
}

template <typename Struct>
Struct Sized() {
  Struct result{};
  result.struct_size = sizeof result;
  return result;
}

/* Engines and sessions keep the model's handle: what the makers recommend and the chat template are
 * there as long as they are. */
using SharedModel = std::shared_ptr<rondo_model>;

/* Calls progress(done, total) for C, where nothing may be thrown. */
template <typename Progress>
struct Told {
  Progress& progress;
  std::exception_ptr thrown;

  static int32_t Call(void* user, uint64_t done, uint64_t total) {
    Told& to = *static_cast<Told*>(user);
    try {
      to.progress(done, total);
      return 0;
    } catch (...) {
      to.thrown = std::current_exception();
      return 1;
    }
  }
};

/* `make` with options that tell progress; throws what that threw. */
template <typename Options, typename Progress, typename Make>
auto WithProgress(Options options, Progress& progress, Make make) {
  Told<Progress> told{progress, nullptr};
  options.progress_user = &told;
  options.progress = Told<Progress>::Call;
  try {
    return make(options);
  } catch (const Error&) {
    if (told.thrown) std::rethrow_exception(told.thrown);
    throw;
  }
}

/* Around each call of a session that computes, while it is there. */
struct Guard {
  virtual int32_t Around(rondo_session* session, int32_t (*call)(void*), void* user) = 0;

 protected:
  ~Guard() = default;
};

template <auto Close>
struct Closer {
  template <typename T>
  void operator()(T* handle) const {
    Close(handle);
  }
};
template <typename T, auto Close>
using Handle = std::unique_ptr<T, Closer<Close>>;

}  // namespace detail

/* rondo_engine_options with their defaults. */
struct EngineOptions : rondo_engine_options {
  EngineOptions() : rondo_engine_options{} {
    detail::Check(rondo_engine_options_init(this, sizeof(rondo_engine_options)));
  }
  /* The engine's own threads run on these CPUs. `numbers` lives until the engine is made. */
  void RunOn(const std::vector<uint32_t>& numbers) {
    affinity = RONDO_AFFINITY_CPUS;
    cpus = numbers.data();
    n_cpus = static_cast<uint32_t>(numbers.size());
  }
  void RunOn(std::vector<uint32_t>&&) = delete;
};

/* rondo_grammar_options with their defaults. */
struct GrammarOptions : rondo_grammar_options {
  GrammarOptions() : rondo_grammar_options{} {
    detail::Check(rondo_grammar_options_init(this, sizeof(rondo_grammar_options)));
  }
};

/* rondo_image_options with their defaults. */
struct ImageOptions : rondo_image_options {
  ImageOptions() : rondo_image_options{} {
    detail::Check(rondo_image_options_init(this, sizeof(rondo_image_options)));
  }
};

class Model;

/* What a generation may say. Copies are the same grammar; sessions keep what they need of it.
 * [any thread] */
class Grammar {
 public:
  /* schema: a JSON Schema as JSON. memory, memory_bytes: the caller's memory, or the system's. */
  Grammar(const Model& model, std::string_view schema, const GrammarOptions& options = {},
          void* memory = nullptr, size_t memory_bytes = 0);
  /* A regular expression, which is the whole text. */
  static Grammar FromPattern(const Model& model, std::string_view pattern,
                             GrammarOptions options = {}) {
    options.kind = RONDO_GRAMMAR_PATTERN;
    return Grammar(model, pattern, options);
  }
  /* Rules in GBNF's notation. */
  static Grammar FromRules(const Model& model, std::string_view gbnf, GrammarOptions options = {}) {
    options.kind = RONDO_GRAMMAR_GBNF;
    return Grammar(model, gbnf, options);
  }

  rondo_grammar* get() const { return handle_.get(); }

 private:
  friend struct SessionOptions;

  Grammar(rondo_model* model, std::string_view text, const GrammarOptions& options, void* memory,
          size_t memory_bytes) {
    rondo_grammar* grammar = nullptr;
    detail::CheckMessage([&](char* message, size_t bytes) {
      return rondo_grammar_create(model, &options, text.data(), text.size(), memory, memory_bytes,
                                  &grammar, message, bytes);
    });
    handle_.reset(grammar, rondo_grammar_close);
  }

  std::shared_ptr<rondo_grammar> handle_;
};

/* A LoRA adapter. Copies are the same; sessions keep what they need of it. [any thread] */
class Adapter {
 public:
  /* A file that `rondo convert --adapter-for` made for this model. */
  Adapter(const Model& model, const std::string& path);
  /* The same in memory, aligned to 64, which the caller keeps. */
  Adapter(const Model& model, const void* bytes, size_t length);

  rondo_adapter_facts Facts() const {
    rondo_adapter_facts facts = {};
    facts.struct_size = sizeof facts;
    detail::Check(rondo_adapter_info(get(), &facts));
    return facts;
  }
  rondo_adapter* get() const { return handle_.get(); }

 private:
  std::shared_ptr<rondo_adapter> handle_;
};

/* rondo_session_options; nothing: what the model's makers recommend, or the library's default. */
struct SessionOptions {
  /* False: what the model's makers recommend for sampling is not followed. */
  bool recommended = true;
  /* generated from here: options */
  std::optional<float> temperature;
  std::optional<int32_t> top_k;
  std::optional<float> top_p;
  std::optional<float> min_p;
  std::optional<float> repetition_penalty;
  float presence_penalty = 0;
  float frequency_penalty = 0;
  std::optional<int32_t> penalty_last_n;
  bool ignore_eos = false;
  bool logprobs = false;
  std::optional<uint32_t> no_repeat_ngram_size;
  uint64_t seed = 0;
  uint64_t max_tokens = 0;
  int32_t speculation = RONDO_SPECULATION_NONE;
  uint32_t max_drafts = 0;
  int32_t grammar_begin = RONDO_GRAMMAR_BEGIN_AT_ONCE;
  int32_t grammar_token = 0;
  bool grammar_goes_on = false;
  bool thinking = false;
  std::string thinking_begin;
  std::string thinking_end;
  uint64_t thinking_tokens = 0;
  /* generated to here */

  /* Empty: those that the makers recommend; an empty one among them stands for none. */
  std::vector<std::string> stop;
  std::vector<rondo_logit_bias> bias;
  /* What each generation must be a text of. */
  std::optional<Grammar> grammar;
  /* A JSON Schema, of which the session makes a grammar of its own, with ONE_SPACE and
   * NAMED_ONLY: JSON as people write it. Empty: none. */
  std::string json_schema;
  /* With EngineOptions::adapter_rank. */
  std::optional<Adapter> adapter;

  /* Calls use(const rondo_session_options*) with all of them. What is said wins over what the
   * model's makers recommend. */
  template <typename Use>
  void With(rondo_model* model, Use use) const {
    if (grammar && !json_schema.empty()) {
      throw Error(RONDO_STATUS_INVALID_ARGUMENT, "of grammar and json_schema one is given");
    }
    rondo_session_options raw;
    detail::Check(rondo_session_options_init(&raw, sizeof raw));
    if (recommended) detail::Check(rondo_model_session_options(model, &raw));
    /* generated from here: said */
    raw.temperature = temperature.value_or(raw.temperature);
    raw.top_k = top_k.value_or(raw.top_k);
    raw.top_p = top_p.value_or(raw.top_p);
    raw.min_p = min_p.value_or(raw.min_p);
    raw.repetition_penalty = repetition_penalty.value_or(raw.repetition_penalty);
    raw.presence_penalty = presence_penalty;
    raw.frequency_penalty = frequency_penalty;
    raw.penalty_last_n = penalty_last_n.value_or(raw.penalty_last_n);
    raw.ignore_eos = ignore_eos ? 1 : 0;
    raw.logprobs = logprobs ? 1 : 0;
    raw.no_repeat_ngram_size = no_repeat_ngram_size.value_or(raw.no_repeat_ngram_size);
    raw.seed = seed;
    raw.max_tokens = max_tokens;
    raw.speculation = speculation;
    raw.max_drafts = max_drafts;
    raw.grammar_begin = grammar_begin;
    raw.grammar_token = grammar_token;
    raw.grammar_goes_on = grammar_goes_on ? 1 : 0;
    raw.thinking = thinking ? 1 : 0;
    if (!thinking_begin.empty()) raw.thinking_begin = detail::ZeroEnded(thinking_begin);
    if (!thinking_end.empty()) raw.thinking_end = detail::ZeroEnded(thinking_end);
    raw.thinking_tokens = thinking_tokens;
    /* generated to here */
    if (adapter) raw.adapter = adapter->get();
    std::vector<const char*> strings;
    for (const std::string& text : stop) {
      if (!text.empty()) strings.push_back(detail::ZeroEnded(text));
    }
    if (!stop.empty()) {
      raw.stop_strings = strings.data();
      raw.n_stop_strings = strings.size();
    }
    if (!bias.empty()) {
      raw.logit_bias = bias.data();
      raw.n_logit_bias = bias.size();
    }
    if (json_schema.empty()) {
      if (grammar) raw.grammar = grammar->get();
      use(&raw);
      return;
    }
    GrammarOptions usual;
    usual.flags = RONDO_SCHEMA_ONE_SPACE | RONDO_SCHEMA_NAMED_ONLY;
    const Grammar made(model, json_schema, usual, nullptr, 0);
    raw.grammar = made.get();
    use(&raw);
  }
};

/* What a conversation is rendered from: JSON texts, as rondo_chat_options has them. Empty: not
 * given. */
struct Chat {
  std::string messages;
  std::string tools;
  std::string variables;
  std::string template_name;
  std::string template_text;
  uint32_t flags = RONDO_CHAT_ADD_GENERATION_PROMPT;
  int64_t local_time = RONDO_CHAT_NO_CLOCK;
  /* RONDO_CHAT_PLAIN_CONTENT, beside flags. False: special tokens' texts in messages become these
   * tokens. */
  bool plain_content = true;
};

/* A call of one of Chat::tools. */
struct ChatCall {
  std::string name;      /* of the function */
  std::string arguments; /* JSON */
  std::string id;        /* that the model gave it, or empty */
};

/* An answer to a conversation. */
struct Reply {
  std::string text;
  std::string thinking;
  std::vector<ChatCall> calls;
  int32_t reason = RONDO_REASON_NONE; /* RONDO_REASON_: why it ended */
};

/* A piece of an answer. */
struct ChatPart {
  int32_t kind = RONDO_CHAT_PART_NONE;
  std::string text;      /* CONTENT, THINKING, ARGUMENTS: the next piece of it */
  uint64_t call = 0;     /* CALL, ARGUMENTS, CALL_END: the call's number, from 0 */
  std::string name;      /* CALL and CALL_END: of the function */
  std::string id;        /* CALL and CALL_END: that the model gave the call, or empty */
  std::string arguments; /* CALL_END: all of them, as JSON */
};

/* How texts become vectors. */
struct EmbedOptions {
  /* The name of one of the model's prompts ("query", "document"), "" for none; nothing: the usual
   * one. */
  std::optional<std::string> prompt;
  /* The first numbers of a vector alone; 0: all. */
  size_t dimensions = 0;
};

/* How documents are scored. */
struct ScoreOptions {
  /* What makes a document fit, in words; nothing: the model's usual one. */
  std::optional<std::string> instruction;
};

class Engine;
class Session;

/* [any thread] */
class Model {
 public:
  Model(std::nullptr_t) = delete;
  Model(Model&&) = default;
  Model& operator=(Model&&) = default;
  explicit Model(const std::string& path) {
    Open([&](rondo_model** model, char* message, size_t bytes) {
      return rondo_model_open_path(RONDO_ABI_VERSION, detail::ZeroEnded(path), model, message,
                                   bytes);
    });
  }
  static Model FromFd(int32_t fd, uint64_t offset = 0, uint64_t length = UINT64_MAX) {
    Model result;
    result.Open([&](rondo_model** model, char* message, size_t bytes) {
      return rondo_model_open_fd(RONDO_ABI_VERSION, fd, offset, length, model, message, bytes);
    });
    return result;
  }
  /* The caller keeps the bytes, aligned to 64, until all that is made from them is closed. */
  static Model FromMemory(const void* bytes, size_t length) {
    Model result;
    result.Open([&](rondo_model** model, char* message, size_t message_bytes) {
      return rondo_model_open_memory(RONDO_ABI_VERSION, bytes, length, model, message,
                                     message_bytes);
    });
    return result;
  }

  static Model FromParts(const std::vector<rondo_model_part>& parts) {
    Model result;
    result.Open([&](rondo_model** model, char* message, size_t message_bytes) {
      return rondo_model_open_parts(RONDO_ABI_VERSION, parts.data(),
                                    static_cast<uint32_t>(parts.size()), model, message,
                                    message_bytes);
    });
    return result;
  }

  rondo_model* get() const { return handle_.get(); }

  rondo_model_facts Info() const {
    auto facts = detail::Sized<rondo_model_facts>();
    detail::Check(rondo_model_info(get(), &facts));
    return facts;
  }
  std::vector<int32_t> EosTokens() const {
    std::vector<int32_t> tokens(Info().n_eos_tokens);
    for (size_t i = 0; i < tokens.size(); ++i) {
      detail::Check(rondo_model_eos_token(get(), static_cast<uint32_t>(i), &tokens[i]));
    }
    return tokens;
  }
  std::string Fact(const std::string& key) const {
    return detail::TextOutput([&](char* buffer, size_t capacity, size_t* length) {
      return rondo_model_fact(get(), detail::ZeroEnded(key), buffer, capacity, length);
    });
  }
  std::string FactKey(uint32_t index) const {
    return detail::TextOutput([&](char* buffer, size_t capacity, size_t* length) {
      return rondo_model_fact_key(get(), index, buffer, capacity, length);
    });
  }

  std::vector<int32_t> Tokenize(std::string_view text,
                                uint32_t flags = RONDO_TOKENIZE_ADD_SPECIAL) const {
    std::vector<int32_t> ids(text.size() / 2 + 16);
    size_t count = 0;
    int32_t status = RONDO_STATUS_BUFFER_TOO_SMALL;
    while (status == RONDO_STATUS_BUFFER_TOO_SMALL) {
      status =
          rondo_tokenize(get(), text.data(), text.size(), flags, ids.data(), ids.size(), &count);
      ids.resize(count);
    }
    detail::Check(status);
    return ids;
  }
  std::string Detokenize(Ids ids, uint32_t flags = 0) const {
    return detail::TextOutput([&](char* buffer, size_t capacity, size_t* length) {
      return rondo_detokenize(get(), ids.data(), ids.size(), flags, buffer, capacity, length);
    });
  }

  rondo_memory_plan Plan(const EngineOptions& options = {}) const {
    auto plan = detail::Sized<rondo_memory_plan>();
    detail::CheckMessage([&](char* message, size_t bytes) {
      return rondo_plan(get(), &options, &plan, message, bytes);
    });
    return plan;
  }
  std::vector<rondo_memory_region> PlanRegions(const EngineOptions& options = {}) const {
    std::vector<rondo_memory_region> regions(Plan(options).n_regions,
                                             detail::Sized<rondo_memory_region>());
    for (size_t i = 0; i < regions.size(); ++i) {
      detail::Check(rondo_plan_region(get(), &options, static_cast<uint32_t>(i), &regions[i]));
    }
    return regions;
  }
  /* The largest context whose plan fits into `bytes`. */
  uint32_t PlanFit(uint64_t bytes, const EngineOptions& options = {}) const {
    uint32_t context = 0;
    detail::CheckMessage([&](char* message, size_t message_bytes) {
      return rondo_plan_fit(get(), &options, bytes, &context, message, message_bytes);
    });
    return context;
  }

  /* What becomes of a picture of this size. */
  rondo_image_facts ImagePlan(uint32_t width, uint32_t height,
                              const ImageOptions& options = {}) const {
    auto facts = detail::Sized<rondo_image_facts>();
    detail::CheckMessage([&](char* message, size_t bytes) {
      return rondo_image_plan(get(), width, height, &options, &facts, message, bytes);
    });
    return facts;
  }

  /* The bytes that a grammar written in `text_bytes` bytes takes. */
  uint64_t PlanGrammar(size_t text_bytes, const GrammarOptions& options = {}) const {
    uint64_t bytes = 0;
    detail::CheckMessage([&](char* message, size_t message_bytes) {
      return rondo_grammar_plan(get(), &options, text_bytes, &bytes, message, message_bytes);
    });
    return bytes;
  }

  std::string ChatTemplateName(uint32_t index) const {
    return detail::TextOutput([&](char* buffer, size_t capacity, size_t* length) {
      return rondo_model_chat_template_name(get(), index, buffer, capacity, length);
    });
  }
  std::string ChatTemplate(const std::string& name) const {
    return detail::TextOutput([&](char* buffer, size_t capacity, size_t* length) {
      return rondo_model_chat_template(get(), detail::ZeroEnded(name), buffer, capacity, length);
    });
  }
  std::string RenderChat(const Chat& chat) const {
    return Text(chat, [&](const rondo_chat_options& options, char* text, size_t capacity,
                          size_t* length, char* message, size_t bytes) {
      return rondo_chat_render(get(), &options, text, capacity, length, nullptr, 0, nullptr,
                               message, bytes);
    });
  }
  std::vector<int32_t> ChatIds(const Chat& chat) const {
    const rondo_chat_options options = Options(chat);
    std::vector<int32_t> ids;
    size_t count = 0;
    const auto render = [&](char* message, size_t bytes) {
      return rondo_chat_render(get(), &options, nullptr, 0, nullptr, ids.data(), ids.size(), &count,
                               message, bytes);
    };
    while (!detail::Fits(render)) ids.resize(count);
    return ids;
  }
  /* The GBNF of answers to this conversation whose calls parse, for Grammar::FromRules. calls:
   * RONDO_CALLS_; function: the only one that may be called, or empty. */
  std::string ChatGrammar(const Chat& chat, int32_t calls = RONDO_CALLS_AUTO,
                          const std::string& function = {}) const {
    return Text(chat, [&](const rondo_chat_options& options, char* text, size_t capacity,
                          size_t* length, char* message, size_t bytes) {
      return rondo_chat_grammar(get(), &options, calls,
                                function.empty() ? nullptr : detail::ZeroEnded(function), text,
                                capacity, length, message, bytes);
    });
  }
  /* What begins a thought, and what ends it; empty where the template has none. */
  std::pair<std::string, std::string> ChatThinking(const Chat& chat) const {
    const rondo_chat_options options = Options(chat);
    std::pair<std::string, std::string> texts;
    size_t begin = 0;
    size_t end = 0;
    const auto ask = [&](char* message, size_t bytes) {
      return rondo_chat_thinking(get(), &options, texts.first.data(), texts.first.size() + 1,
                                 &begin, texts.second.data(), texts.second.size() + 1, &end,
                                 message, bytes);
    };
    while (!detail::Fits(ask)) {
      texts.first.resize(begin);
      texts.second.resize(end);
    }
    return texts;
  }

  /* What the model makes of texts; dimensions 0: it predicts tokens instead. */
  rondo_embedder_facts EmbedderInfo() const {
    auto facts = detail::Sized<rondo_embedder_facts>();
    detail::Check(rondo_model_embedder(get(), &facts));
    return facts;
  }
  std::string PromptName(uint32_t index) const {
    return detail::TextOutput([&](char* buffer, size_t capacity, size_t* length) {
      return rondo_model_prompt_name(get(), index, buffer, capacity, length);
    });
  }
  /* The text behind the prompt of this name; null: the model's usual one; "": none. */
  std::string EmbeddingText(std::string_view text, const char* prompt = nullptr) const {
    return detail::TextOutput([&](char* buffer, size_t capacity, size_t* length) {
      return rondo_embedding_text(get(), prompt, text.data(), text.size(), buffer, capacity,
                                  length);
    });
  }
  /* instruction: null: the model's usual one. */
  std::string PairText(std::string_view query, std::string_view document,
                       const char* instruction = nullptr) const {
    return detail::TextOutput([&](char* buffer, size_t capacity, size_t* length) {
      return rondo_pair_text(get(), instruction, query.data(), query.size(), document.data(),
                             document.size(), buffer, capacity, length);
    });
  }

 private:
  friend class ChatParser;
  friend class Engine;
  friend class Session;

  Model() = default;
  explicit Model(detail::SharedModel handle) : handle_(std::move(handle)) {}

  template <typename Call>
  void Open(Call call) {
    rondo_model* model = nullptr;
    detail::CheckMessage([&](char* message, size_t bytes) { return call(&model, message, bytes); });
    handle_.reset(model, rondo_model_close);
  }

  /* Points into `chat`. */
  static rondo_chat_options Options(const Chat& chat) {
    rondo_chat_options options;
    detail::Check(rondo_chat_options_init(&options, sizeof options));
    const auto give = [](const std::string& from, const char** pointer, size_t* bytes) {
      *pointer = from.empty() ? nullptr : from.data();
      *bytes = from.size();
    };
    options.flags = chat.flags;
    if (chat.plain_content) options.flags |= RONDO_CHAT_PLAIN_CONTENT;
    options.local_time = chat.local_time;
    give(chat.messages, &options.messages, &options.messages_bytes);
    give(chat.tools, &options.tools, &options.tools_bytes);
    give(chat.variables, &options.variables, &options.variables_bytes);
    give(chat.template_text, &options.template_text, &options.template_bytes);
    if (!chat.template_name.empty()) {
      options.template_name = detail::ZeroEnded(chat.template_name);
    }
    return options;
  }
  /* call(options, buffer, capacity, length, message, message_bytes): a text of any length. */
  template <typename Call>
  static std::string Text(const Chat& chat, Call call) {
    const rondo_chat_options options = Options(chat);
    std::string text;
    size_t length = 0;
    const auto ask = [&](char* message, size_t bytes) {
      return call(options, text.data(), text.size() + 1, &length, message, bytes);
    };
    while (!detail::Fits(ask)) text.resize(length);
    return text;
  }

  detail::SharedModel handle_;
};

inline Adapter::Adapter(const Model& model, const std::string& path) {
  rondo_adapter* adapter = nullptr;
  detail::CheckMessage([&](char* message, size_t bytes) {
    return rondo_adapter_open_path(model.get(), detail::ZeroEnded(path), &adapter, message, bytes);
  });
  handle_.reset(adapter, rondo_adapter_close);
}

inline Adapter::Adapter(const Model& model, const void* bytes, size_t length) {
  rondo_adapter* adapter = nullptr;
  detail::CheckMessage([&](char* message, size_t size) {
    return rondo_adapter_open_memory(model.get(), bytes, length, &adapter, message, size);
  });
  handle_.reset(adapter, rondo_adapter_close);
}

inline Grammar::Grammar(const Model& model, std::string_view schema, const GrammarOptions& options,
                        void* memory, size_t memory_bytes)
    : Grammar(model.get(), schema, options, memory, memory_bytes) {}

/* Takes an answer to a conversation as it comes, cut anywhere, and hands out its parts.
 * [one call per parser] */
class ChatParser {
 public:
  ChatParser(const Model& model, const Chat& chat) {
    const rondo_chat_options options = Model::Options(chat);
    rondo_chat_parser* parser = nullptr;
    detail::CheckMessage([&](char* message, size_t bytes) {
      return rondo_chat_parser_create(model.get(), &options, &parser, message, bytes);
    });
    handle_.reset(parser);
  }

  rondo_chat_parser* get() const { return handle_.get(); }

  /* The answer's next bytes, those of events; last: there are no more behind them. */
  void Push(std::string_view bytes, bool last = false) {
    detail::Check(rondo_chat_parser_push(get(), bytes.data(), bytes.size(), last ? 1 : 0));
  }
  /* What was not handed out yet, as far as it is known what it is. */
  std::vector<ChatPart> Parts() {
    std::vector<ChatPart> parts;
    auto raw = detail::Sized<rondo_chat_part>();
    for (;;) {
      detail::Check(rondo_chat_parser_next(get(), &raw));
      if (raw.kind == RONDO_CHAT_PART_NONE) return parts;
      parts.push_back(Told(raw));
    }
  }
  /* As it was made, for another answer. */
  void Reset() { detail::Check(rondo_chat_parser_reset(get())); }

 private:
  ChatPart Told(const rondo_chat_part& raw) {
    ChatPart part;
    part.kind = raw.kind;
    part.text.assign(raw.text, raw.text_bytes);
    part.call = raw.call;
    part.name.assign(raw.name, raw.name_bytes);
    part.id.assign(raw.id, raw.id_bytes);
    if (part.kind == RONDO_CHAT_PART_CALL) call_ = part;
    if (part.kind == RONDO_CHAT_PART_ARGUMENTS) call_.arguments += part.text;
    if (part.kind != RONDO_CHAT_PART_CALL_END) return part;
    call_.kind = part.kind;
    return call_;
  }

  detail::Handle<rondo_chat_parser, rondo_chat_parser_close> handle_;
  ChatPart call_; /* that is being written */
};

/* [any thread] */
class Engine {
 public:
  /* arena, arena_bytes: the caller's memory, or the system's. */
  explicit Engine(const Model& model, const EngineOptions& options = {}, void* arena = nullptr,
                  size_t arena_bytes = 0)
      : model_(model.handle_) {
    rondo_engine* engine = nullptr;
    detail::CheckMessage([&](char* message, size_t bytes) {
      return rondo_engine_create(model.get(), &options, arena, arena_bytes, &engine, message,
                                 bytes);
    });
    handle_.reset(engine);
  }

  /* Calls progress(done, total) while it is made. What it throws ends that, and is thrown. */
  template <typename Progress,
            typename = std::enable_if_t<std::is_invocable_v<Progress&, uint64_t, uint64_t>>>
  Engine(const Model& model, const EngineOptions& options, Progress progress)
      : Engine(detail::WithProgress(
            options, progress, [&](const EngineOptions& told) { return Engine(model, told); })) {}

  rondo_engine* get() const { return handle_.get(); }

  rondo_memory_plan Memory() const {
    auto plan = detail::Sized<rondo_memory_plan>();
    detail::Check(rondo_engine_memory(get(), &plan));
    return plan;
  }
  rondo_memory_region MemoryRegion(uint32_t index) const {
    auto region = detail::Sized<rondo_memory_region>();
    detail::Check(rondo_engine_memory_region(get(), index, &region));
    return region;
  }
  rondo_engine_counters Stats() const {
    auto counters = detail::Sized<rondo_engine_counters>();
    detail::Check(rondo_engine_stats(get(), &counters));
    return counters;
  }
  /* The next event of the profile from number *cursor on; false: there is none. */
  bool Profile(uint64_t* cursor, rondo_profile_event* event) const {
    *event = detail::Sized<rondo_profile_event>();
    detail::Check(rondo_engine_profile(get(), cursor, event));
    return event->name != nullptr;
  }
  /* One pass for several sessions; Session::TakeEvent tells what each got. */
  void Step(const std::vector<Session*>& sessions) const;
  /* A vector of each text, in sessions of its own: as many as the engine has free places for. */
  std::vector<std::vector<float>> Embed(const std::vector<std::string>& texts,
                                        const EmbedOptions& options = {}) const;
  /* How well each document fits the query, by a model that scores pairs. */
  std::vector<float> Score(const std::string& query, const std::vector<std::string>& documents,
                           const ScoreOptions& options = {}) const;
  /* The vectors of texts, each the first `dimensions` numbers; the sessions share the work. */
  std::vector<std::vector<float>> Embed(const std::vector<Session*>& sessions,
                                        const std::vector<std::vector<int32_t>>& texts,
                                        size_t dimensions) const;

 private:
  friend class Session;

  template <typename Read>
  std::vector<std::vector<float>> EmbedAll(const std::vector<std::string>& texts, size_t dimensions,
                                           Read read) const;

  detail::Handle<rondo_engine, rondo_engine_close> handle_;
  detail::SharedModel model_;
};

/* rondo_image: pixels that live until the picture was encoded. */
struct Image : rondo_image {
  /* Of no pixels: all of it is to be set, as planes of a camera's frame are. */
  Image() : rondo_image{} { struct_size = sizeof(rondo_image); }
  /* Of one plane. stride: bytes from a row to the next; 0: there is nothing between them. */
  Image(View<const unsigned char> pixels, uint32_t columns, uint32_t rows,
        int32_t pixel_format = RONDO_PIXELS_RGB8, size_t stride = 0)
      : Image() {
    const bool four = pixel_format == RONDO_PIXELS_RGBA8 || pixel_format == RONDO_PIXELS_BGRA8;
    const size_t channels = pixel_format == RONDO_PIXELS_RGB8 ? 3 : four ? 4 : 1;
    const uint64_t row = uint64_t{columns} * channels;
    const uint64_t step = stride != 0 ? stride : row;
    const bool some = columns > 0 && rows > 0;
    if (some && (pixels.size() < row || (pixels.size() - row) / step < rows - 1)) {
      throw Error(RONDO_STATUS_INVALID_ARGUMENT, "there are fewer pixels than the picture has");
    }
    format = pixel_format;
    width = columns;
    height = rows;
    plane0 = pixels.data();
    stride0 = stride;
  }
};

/* A picture as an engine's rows. Copies are the same; sessions keep the rows that they have.
 * [any thread] */
class Media {
 public:
  /* With EngineOptions::max_media_rows. */
  Media(const Engine& engine, const Image& image, const ImageOptions& options = {}) {
    rondo_media* media = nullptr;
    detail::CheckMessage([&](char* message, size_t bytes) {
      return rondo_media_create(engine.get(), &image, &options, &media, message, bytes);
    });
    handle_.reset(media, rondo_media_close);
  }
  /* Calls progress(done, total) behind each slice of the work. What it throws ends that, and is
   * thrown. */
  template <typename Progress>
  Media(const Engine& engine, const Image& image, ImageOptions options, Progress progress) {
    *this = detail::WithProgress(
        options, progress, [&](const ImageOptions& told) { return Media(engine, image, told); });
  }

  rondo_image_facts Info() const {
    auto facts = detail::Sized<rondo_image_facts>();
    detail::Check(rondo_media_info(get(), &facts));
    return facts;
  }
  rondo_media* get() const { return handle_.get(); }

 private:
  std::shared_ptr<rondo_media> handle_;
};

/* What a step of a generation brought. Its texts are valid until the next call on the session. */
struct Event {
  int32_t token;  /* -1: no token came */
  int32_t reason; /* RONDO_REASON_ */
  float logprob;
  std::string_view bytes; /* the token's own */
  std::string_view text;  /* what can be shown now */
  uint64_t pending;
  uint64_t taken_over;
  int32_t channel; /* RONDO_CHANNEL_ */
};

/* rondo_input: token ids, or rows that stand where tokens do; what it views lives until it was
 * appended. */
struct Input : rondo_input {
  Input(Ids tokens) : rondo_input{} { /* NOLINT(google-explicit-constructor) */
    struct_size = sizeof(rondo_input);
    ids = tokens.data();
    count = tokens.size();
  }
  /* [count, hidden_size] of float32; for others `row_format` is set. */
  Input(const void* values, size_t n_rows) : rondo_input{} {
    struct_size = sizeof(rondo_input);
    rows = values;
    count = n_rows;
  }
};

/* [one call per session], but for CallNumber, CancelCall, Cancel and Progress */
class Session {
 public:
  /* Samples as the model's makers recommend it, where the options say nothing else. */
  explicit Session(const Engine& engine, const SessionOptions& options = {})
      : model_(engine.model_) {
    options.With(model_.get(), [&](const rondo_session_options* raw) {
      rondo_session* session = nullptr;
      detail::CheckMessage([&](char* message, size_t bytes) {
        return rondo_session_open(engine.get(), raw, &session, message, bytes);
      });
      handle_.reset(session);
    });
  }
  /* A session with the same tokens, and with options of its own. */
  Session Fork(const SessionOptions& options = {}) const {
    Session fork(model_);
    options.With(model_.get(), [&](const rondo_session_options* raw) {
      rondo_session* session = nullptr;
      detail::CheckMessage([&](char* message, size_t bytes) {
        return rondo_session_fork(get(), raw, &session, message, bytes);
      });
      fork.handle_.reset(session);
    });
    return fork;
  }

  rondo_session* get() const { return handle_.get(); }

  void Prefill(Ids ids) {
    Compute([&] { return rondo_session_prefill(get(), ids.data(), ids.size()); });
  }
  /* A text: with what the model expects around one where nothing is before it. */
  void Prefill(std::string_view text) {
    Prefill(Model(model_).Tokenize(text, Position() == 0 ? RONDO_TOKENIZE_ADD_SPECIAL : 0));
  }
  void Append(Ids ids) { Check(rondo_session_append(get(), ids.data(), ids.size())); }
  /* With EngineOptions::max_input_rows. */
  void AppendInputs(const std::vector<Input>& inputs) {
    static_assert(sizeof(Input) == sizeof(rondo_input));
    Check(rondo_session_append_inputs(get(), inputs.data(), inputs.size()));
  }
  /* Each picture_token (Model::Info) among `ids` stands for the next of `media`. */
  void AppendMedia(Ids ids, const std::vector<Media>& media) {
    std::vector<rondo_media*> handles;
    for (const Media& one : media) handles.push_back(one.get());
    Check(
        rondo_session_append_media(get(), ids.data(), ids.size(), handles.data(), handles.size()));
  }
  /* Tokens that may come next: the next pass verifies them, and no token is another for it. */
  void Propose(Ids ids) { Check(rondo_session_propose(get(), ids.data(), ids.size())); }
  void Accept(int32_t token) { Check(rondo_session_accept(get(), token)); }
  /* Calls row(index, View<const float>) after each token. What it throws is thrown in the end. */
  template <typename Row>
  void PrefillLogits(Ids ids, Row row) {
    struct State {
      Row& row;
      std::exception_ptr thrown;
    } state{row, nullptr};
    const rondo_logits_row receive = [](void* user, size_t index, const float* logits,
                                        size_t count) {
      State& to = *static_cast<State*>(user);
      if (to.thrown) return;
      try {
        to.row(index, View<const float>(logits, count));
      } catch (...) {  // must not unwind through the library
        to.thrown = std::current_exception();
      }
    };
    const int32_t status = Guarded([&] {
      return rondo_session_prefill_logits(get(), ids.data(), ids.size(), receive, &state);
    });
    if (state.thrown) std::rethrow_exception(state.thrown);
    Check(status);
  }

  /* The vector of a text, or the score of a pair: its first `dimensions` numbers. */
  std::vector<float> Embed(Ids ids, size_t dimensions) {
    std::vector<float> vector(dimensions);
    Compute([&] {
      return rondo_session_embed(get(), ids.data(), ids.size(), vector.data(), dimensions);
    });
    return vector;
  }

  /* Generates one token. */
  Event Next() {
    return Read([this](rondo_event* event) {
      return Guarded([&] { return rondo_session_next(get(), event); });
    });
  }
  /* What the last Engine::Step had for this session, once. */
  Event TakeEvent() {
    return Read([this](rondo_event* event) { return rondo_session_event(get(), event); });
  }
  /* for (const Event& event : session.Stream("Once")): appends the text and generates what follows,
   * as the range is walked, up to the event with the reason. It may be left at any time. Where
   * another generation of the session has begun since, it fails with RONDO_STATUS_BUSY. The session
   * stays where it is as long as the range is walked. */
  class Events;
  Events Stream(std::string_view prompt) &;
  Events Stream(Ids prompt) &;
  /* What follows what the session has. */
  Events Stream() &;
  /* Appends the text and gives the text that follows. */
  std::string Generate(std::string_view prompt);
  std::string Generate(Ids prompt);
  std::string Generate();
  /* The answer to a conversation, which takes the place of the session's tokens; media: the
   * pictures that its parts {"type": "image"} stand for. */
  Reply Chat(const rondo::Chat& chat, const std::vector<Media>& media = {});
  /* The same in parts, as they come: content, thoughts, and calls of chat.tools. Of the token that
   * completes a stop string what is before that is part of the content. */
  class Parts;
  Parts ChatStream(const rondo::Chat& chat, const std::vector<Media>& media = {}) &;

#if defined(__cpp_lib_jthread)
  /* What `calls` gives, which makes calls on this session: where a stop is requested, the one that
   * computes and those behind it fail with RONDO_STATUS_CANCELLED, and none after Until does. */
  template <typename Calls>
  auto Until(std::stop_token token, Calls calls) {
    struct Stop final : detail::Guard {
      explicit Stop(std::stop_token given) : token(std::move(given)) {}
      int32_t Around(rondo_session* session, int32_t (*call)(void*), void* user) override {
        uint64_t number = 0;
        detail::Check(rondo_session_call(session, &number));
        const auto cancel = [&] { rondo_session_cancel_call(session, number); };
        const std::stop_callback stop(token, cancel);  // at once, where it was requested before
        return call(user);
      }
      std::stop_token token;
    } stop(std::move(token));
    struct Scope {
      ~Scope() { guard = before; }
      detail::Guard*& guard;
      detail::Guard* before;
    } scope{guard_, guard_};
    guard_ = &stop;
    return calls();
  }
#endif

  /* The logits after the last token, copied. */
  std::vector<float> Logits() {
    const float* logits = nullptr;
    size_t count = 0;
    Compute([&] { return rondo_session_logits(get(), &logits, &count); });
    return {logits, logits + count};
  }

  void Undo(uint64_t n) { Check(rondo_session_undo(get(), n)); }
  void Reset() { Check(rondo_session_reset(get())); }
  uint64_t Position() const {
    uint64_t position = 0;
    Check(rondo_session_position(get(), &position));
    return position;
  }
  uint64_t Remaining() const {
    uint64_t tokens = 0;
    Check(rondo_session_remaining(get(), &tokens));
    return tokens;
  }
  rondo_session_counters Stats() const {
    auto counters = detail::Sized<rondo_session_counters>();
    Check(rondo_session_stats(get(), &counters));
    return counters;
  }
  /* How many tokens of a prompt are evaluated, and of how many. [any thread] */
  std::pair<uint64_t, uint64_t> Progress() const {
    std::pair<uint64_t, uint64_t> far;
    detail::Check(rondo_session_progress(get(), &far.first, &far.second));
    return far;
  }
  /* The positions from `first` to before `second` are no longer seen. */
  std::pair<uint64_t, uint64_t> Evicted() const {
    std::pair<uint64_t, uint64_t> range;
    Check(rondo_session_evicted(get(), &range.first, &range.second));
    return range;
  }
  /* The tokens that it remembers, the last ones up to Position(). */
  std::vector<int32_t> Tokens() const {
    std::vector<int32_t> ids(Position());
    uint64_t begin = 0;
    size_t count = 0;
    Check(rondo_session_tokens(get(), &begin, ids.data(), ids.size(), &count));
    ids.resize(count);
    return ids;
  }
  /* [any thread] The number of the call that computes, or else of the next one. */
  uint64_t CallNumber() const {
    uint64_t number = 0;
    Check(rondo_session_call(get(), &number));
    return number;
  }
  /* [any thread] Ends the call of this number, and no other: nothing where it is over. */
  void CancelCall(uint64_t number) const { Check(rondo_session_cancel_call(get(), number)); }
  /* [any thread] */
  void Cancel() const { Check(rondo_session_cancel(get())); }

  std::vector<unsigned char> Save() const {
    size_t bytes = 0;
    rondo_session_save(get(), nullptr, 0, &bytes);
    std::vector<unsigned char> snapshot(bytes);
    Check(rondo_session_save(get(), snapshot.data(), snapshot.size(), &bytes));
    return snapshot;
  }
  void Restore(View<const unsigned char> snapshot) {
    Check(rondo_session_restore(get(), snapshot.data(), snapshot.size()));
  }

 private:
  explicit Session(detail::SharedModel model) : model_(std::move(model)) {}

  void Check(int32_t status) const {
    if (status == RONDO_STATUS_OK) return;
    // Where it is busy, the message belongs to the other call.
    detail::Check(status, status == RONDO_STATUS_BUSY ? "" : rondo_session_last_error(get()));
  }
  template <typename Call>
  int32_t Guarded(Call call) {
    if (guard_ == nullptr) return call();
    return guard_->Around(
        get(), [](void* user) { return (*static_cast<Call*>(user))(); }, &call);
  }
  template <typename Call>
  void Compute(Call call) {
    Check(Guarded(call));
  }
  /* Of the generation of this number. */
  Event Next(uint64_t generation) {
    if (generation != generation_) {
      detail::Check(RONDO_STATUS_BUSY, "another generation of the session has begun");
    }
    return Next();
  }
  void Begin(const rondo::Chat& chat, const std::vector<Media>& media) {
    const std::vector<int32_t> ids = Model(model_).ChatIds(chat);
    Reset();
    AppendMedia(ids, media);  // refuses ids in which pictures are missing
  }
  template <typename Call>
  Event Read(Call call) {
    auto raw = detail::Sized<rondo_event>();
    Check(call(&raw));
    return {raw.token,
            raw.reason,
            raw.logprob,
            {raw.bytes, raw.bytes_count},
            {raw.text, raw.text_bytes},
            raw.pending,
            raw.taken_over,
            raw.channel};
  }

  detail::Handle<rondo_session, rondo_session_close> handle_;
  detail::SharedModel model_;
  detail::Guard* guard_ = nullptr;
  uint64_t generation_ = 0; /* number of the one that was begun last */
};

/* A range that generates as it is walked, once. */
class Session::Events {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Event;
    using difference_type = std::ptrdiff_t;
    using pointer = const Event*;
    using reference = const Event&;

    Iterator(Session* session, uint64_t generation) : session_(session), generation_(generation) {
      if (session_ != nullptr) event_ = session_->Next(generation_);
    }
    reference operator*() const { return event_; }
    pointer operator->() const { return &event_; }
    Iterator& operator++() {
      if (event_.reason != RONDO_REASON_NONE) {
        session_ = nullptr;
      } else {
        event_ = session_->Next(generation_);
      }
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const Iterator& a, const Iterator& b) {
      return a.session_ == b.session_;
    }
    friend bool operator!=(const Iterator& a, const Iterator& b) { return !(a == b); }

   private:
    Session* session_;
    uint64_t generation_;
    Event event_{};
  };

  explicit Events(Session* session) : session_(session), generation_(++session->generation_) {}
  Iterator begin() const { return Iterator(session_, generation_); }
  Iterator end() const { return Iterator(nullptr, 0); }

 private:
  Session* session_;
  uint64_t generation_;
};

inline Session::Events Session::Stream() & { return Events(this); }

inline Session::Events Session::Stream(std::string_view prompt) & {
  Prefill(prompt);
  return Events(this);
}

inline Session::Events Session::Stream(Ids prompt) & {
  Prefill(prompt);
  return Events(this);
}

/* A range of ChatPart that generates as it is walked, once. */
class Session::Parts {
 private:
  struct Walk {
    Session* session;
    ChatParser parser;
    uint64_t generation;
    std::vector<ChatPart> parts;
    size_t at = 0;
    int32_t reason = RONDO_REASON_NONE;

    /* Without what ended it: of the token that completes a stop string, what is before that. */
    static std::string_view Said(const Event& event) {
      if (event.reason == RONDO_REASON_EOS) return {};
      if (event.reason != RONDO_REASON_STOP_STRING) return event.bytes;
      return event.bytes.substr(0, event.text.size()) == event.text ? event.text
                                                                    : std::string_view();
    }
    /* False: there is no part any more. */
    bool Find() {
      while (at == parts.size()) {
        if (reason != RONDO_REASON_NONE) return false;
        const Event event = session->Next(generation);
        reason = event.reason;
        parser.Push(Said(event), reason != RONDO_REASON_NONE);
        parts = parser.Parts();
        at = 0;
      }
      return true;
    }
  };

 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = ChatPart;
    using difference_type = std::ptrdiff_t;
    using pointer = const ChatPart*;
    using reference = const ChatPart&;

    explicit Iterator(Walk* walk) : walk_(walk != nullptr && walk->Find() ? walk : nullptr) {}
    reference operator*() const { return walk_->parts[walk_->at]; }
    pointer operator->() const { return &walk_->parts[walk_->at]; }
    Iterator& operator++() {
      ++walk_->at;
      if (!walk_->Find()) walk_ = nullptr;
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.walk_ == b.walk_; }
    friend bool operator!=(const Iterator& a, const Iterator& b) { return !(a == b); }

   private:
    Walk* walk_;
  };

  Parts(Session* session, ChatParser parser)
      : walk_(new Walk{
            session, std::move(parser), ++session->generation_, {}, 0, RONDO_REASON_NONE}) {}
  Iterator begin() const { return Iterator(walk_.get()); }
  Iterator end() const { return Iterator(nullptr); }
  /* Why the answer ended; RONDO_REASON_NONE: it has not. */
  int32_t reason() const { return walk_->reason; }

 private:
  std::unique_ptr<Walk> walk_;
};

inline Session::Parts Session::ChatStream(const rondo::Chat& chat,
                                          const std::vector<Media>& media) & {
  ChatParser parser(Model(model_), chat);
  Begin(chat, media);
  return Parts(this, std::move(parser));
}

inline Reply Session::Chat(const rondo::Chat& chat, const std::vector<Media>& media) {
  Reply reply;
  const Parts parts = ChatStream(chat, media);
  for (const ChatPart& part : parts) {
    if (part.kind == RONDO_CHAT_PART_CONTENT) reply.text += part.text;
    if (part.kind == RONDO_CHAT_PART_THINKING) reply.thinking += part.text;
    if (part.kind == RONDO_CHAT_PART_CALL_END) {
      reply.calls.push_back({part.name, part.arguments, part.id});
    }
  }
  reply.reason = parts.reason();
  return reply;
}

inline std::string Session::Generate() {
  std::string text;
  for (const Event& event : Stream()) text += event.text;
  return text;
}

inline std::string Session::Generate(std::string_view prompt) {
  Prefill(prompt);
  return Generate();
}

inline std::string Session::Generate(Ids prompt) {
  Prefill(prompt);
  return Generate();
}

inline std::vector<std::vector<float>> Engine::Embed(const std::vector<Session*>& sessions,
                                                     const std::vector<std::vector<int32_t>>& texts,
                                                     size_t dimensions) const {
  std::vector<rondo_session*> handles;
  for (const Session* session : sessions) handles.push_back(session->get());
  std::vector<int32_t> ids;
  std::vector<size_t> counts;
  for (const std::vector<int32_t>& text : texts) {
    ids.insert(ids.end(), text.begin(), text.end());
    counts.push_back(text.size());
  }
  std::vector<float> all(texts.size() * dimensions);
  detail::CheckMessage([&](char* message, size_t bytes) {
    return rondo_engine_embed(get(), handles.data(), handles.size(), ids.data(), counts.data(),
                              counts.size(), all.data(), dimensions, message, bytes);
  });
  std::vector<std::vector<float>> vectors;
  for (size_t i = 0; i < texts.size(); ++i) {
    const float* const first = all.data() + i * dimensions;
    vectors.emplace_back(first, first + dimensions);
  }
  return vectors;
}

template <typename Read>
std::vector<std::vector<float>> Engine::EmbedAll(const std::vector<std::string>& texts,
                                                 size_t dimensions, Read read) const {
  if (texts.empty()) return {};
  const Model model(model_);
  std::vector<std::vector<int32_t>> ids;
  for (const std::string& text : texts) ids.push_back(model.Tokenize(read(model, text)));
  std::vector<Session> opened;
  const size_t places = Memory().max_sessions;
  while (opened.size() < texts.size() && opened.size() < places) {
    try {
      opened.emplace_back(*this);
    } catch (const Error& error) {
      if (error.status() != RONDO_STATUS_BUSY || opened.empty()) throw;
      break;
    }
  }
  std::vector<Session*> sessions;
  for (Session& session : opened) sessions.push_back(&session);
  return Embed(sessions, ids, dimensions);
}

inline std::vector<std::vector<float>> Engine::Embed(const std::vector<std::string>& texts,
                                                     const EmbedOptions& options) const {
  const size_t all = Model(model_).EmbedderInfo().dimensions;
  if (options.dimensions > all) {
    throw Error(RONDO_STATUS_INVALID_ARGUMENT, "dimensions is " +
                                                   std::to_string(options.dimensions) +
                                                   "; vectors have " + std::to_string(all));
  }
  const char* const prompt = options.prompt ? detail::ZeroEnded(*options.prompt) : nullptr;
  return EmbedAll(texts, options.dimensions == 0 ? all : options.dimensions,
                  [&](const Model& model, const std::string& text) {
                    return model.EmbeddingText(text, prompt);
                  });
}

inline std::vector<float> Engine::Score(const std::string& query,
                                        const std::vector<std::string>& documents,
                                        const ScoreOptions& options) const {
  const char* const instruction =
      options.instruction ? detail::ZeroEnded(*options.instruction) : nullptr;
  std::vector<float> scores;
  for (const std::vector<float>&one :
       EmbedAll(documents, 1, [&](const Model&model, const std::string&document) {
         return model.PairText(query, document, instruction);
       })) {
    scores.push_back(one[0]);
  }
  return scores;
}

inline void Engine::Step(const std::vector<Session*>& sessions) const {
  std::vector<rondo_session*> handles;
  for (const Session* session : sessions) handles.push_back(session->get());
  detail::CheckMessage([&](char* message, size_t bytes) {
    return rondo_engine_step(get(), handles.data(), handles.size(), message, bytes);
  });
}

}  // namespace RONDO_HPP_ABI
}  // namespace rondo

#endif /* RONDO_RONDO_HPP_ */
