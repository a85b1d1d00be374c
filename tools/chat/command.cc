// A conversation, line by line.
#include "tools/commands.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tools/chat/call_runner.h"
#include "tools/chat/conversation.h"
#include "tools/chat/conversation_commands.h"
#include "tools/chat/conversation_file.h"
#include "tools/chat/functions_file.h"
#include "tools/chat/line_reader.h"
#include "tools/chat/named_pictures.h"
#include "tools/common/constraint.h"
#include "tools/common/context.h"
#include "tools/common/flags.h"
#include "tools/common/interrupt.h"
#include "tools/common/library.h"
#include "tools/common/limits.h"
#include "tools/common/numbers.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/picture_flags.h"
#include "tools/common/sampling.h"
#include "tools/common/sight.h"
#include "tools/common/text_io.h"
#include "tools/common/utf8.h"
#include "tools/system/standard_files.h"

namespace rondo::tools {
namespace {

constexpr const char* kExamples = R"(
Examples:
  rondo chat model.rondo
  rondo chat model.rondo --system "You answer in one sentence." --temperature 0.7 --seed 7
  echo "What is a rondo?" | rondo chat model.rondo --max-tokens 100
  rondo chat model.rondo --session today.chat      # goes on with it the next time
  rondo chat model.rondo --tools tools.json --exec ./answer.sh
  echo "What is in the picture?" | rondo chat model.rondo --image cat.jpg

Functions in --tools are as chat templates have them: [{"type": "function", "function": {"name":
"weather", "description": "Of a city", "parameters": {"type": "object", "properties": {"city":
{"type": "string"}}, "required": ["city"], "additionalProperties": false}}}], or without "function"
around; the schema may also be MCP's "inputSchema" or "input_schema". A call is shown, and the next
line says whether COMMAND NAME may answer it, by the system's shell, or is the answer itself; Ctrl-C
and Ctrl-D there, and over 16 rounds of calls, take back the whole turn. Thoughts are dim on a
terminal, and not there for another program.

Commands of the conversation: /image FILE /reset /save FILE /load FILE /stats /help /exit. A line
that ends with a backslash goes on in the next; """ begins and ends a text of many lines. What
stands in such a text, and what is pasted, is sent as it is: no line of it is a command. Ctrl-C
stops an answer and keeps the conversation; at the prompt it takes back what was typed. Ctrl-D at an
empty prompt ends; in a text of many lines it takes this back, and in a line it deletes the
character at the cursor.

Models that see: /image FILE, or a line that is nothing but names of pictures (JPEG, PNG, WebP), as
where files are dropped on the terminal, sets them in front of the next message. A picture is looked
at once; its rows lie in the memory of --image-rows as long as the conversation has it. A
conversation in a file has the names of its pictures: where it is loaded they are looked at again.

A conversation in a file (--session, /save) begins with its messages as JSON; behind them is what
the model has computed of them, so that a later run of the same model, with the same --policy and,
where it slides, the same --context and --sinks, reads nothing twice; any other refuses the file.
Cut behind its line "]", it has the messages alone, which every model reads. --session writes its
file after every turn. The system prompt of a conversation that is loaded holds, not that of
--system.)";

struct Arguments {
  std::string model;
  ChatForm form;  // its texts of files come later
  std::string template_path;
  std::string tools_path;
  std::string exec;  // a command that answers calls; empty: the user does
  std::string session_path;
  EngineOptions engine;
  bool usual_image_rows = true;  // --image-rows is not given
  std::string draft;             // a model's path; empty: none
  std::string adapter;           // the same of an adapter's
  SessionOptions session;
  ConstraintWish constraint;
  std::vector<std::string> images;
};

constexpr const char* kTakenBack = "the turn is taken back: the conversation is as before it";

void RequireTemplate(const Model& model, const Arguments& arguments) {
  if (!arguments.template_path.empty() || !ChatTemplateNames(model).empty()) return;
  throw Error(arguments.model +
              " has no chat template: give one with --template FILE (Jinja, as the "
              "chat_template.jinja of a model trained alike), or continue texts with `rondo run`");
}

// Goes on with what --session's file has.
void Resume(const Arguments& arguments, Conversation* conversation) {
  const std::string& path = arguments.session_path;
  if (path.empty()) return;
  CheckConversationFile(path);
  if (!std::filesystem::exists(path)) return;
  Load(path, conversation);
  if (arguments.form.system.empty() || HasSystem(*conversation, arguments.form.system)) return;
  throw Error(path + " is a conversation with another system prompt than --system: leave it out");
}

// Models that see have memory for this many pictures of this size, unless options say otherwise.
constexpr uint64_t kUsualPictures = 4;
constexpr PictureSize kUsualSize = {1024, 768};

uint32_t UsualImageRows(const Model& model, const ImageOptions& options) {
  if (model.Info().picture_token < 0) return 0;
  const uint64_t rows =
      kUsualPictures * model.ImagePlan(kUsualSize.width, kUsualSize.height, options).rows;
  return static_cast<uint32_t>(std::min(rows, kMostMediaRows));
}

// What the user should know of an answer that did not end by itself.
void TellReason(int32_t reason, bool is_kept, uint64_t max_tokens,
                const Conversation& conversation) {
  switch (reason) {
    case RONDO_REASON_NONE:
      Tell("(stopped)", is_kept ? "" : std::string(" (") + kTakenBack + ")");
      break;
    case RONDO_REASON_TOKEN_LIMIT:
      Tell("(the limit of --max-tokens, ", FormatCount(max_tokens), ")");
      break;
    case RONDO_REASON_CONTEXT_FULL:
      Tell("(the context is full: ", conversation.ContextAdvice(), ")");
      break;
    default:
      break;
  }
}

// Thoughts are for people: another program gets the answers alone.
struct Shown {
  void operator()(Part part, std::string_view text) const {
    if (part == Part::kContent) {
      PrintAnswer(text);
    } else if (IsTerminal(kStandardOutput)) {
      PrintBytes(kDim);
      PrintAnswer(text);
      PrintBytes(kBright);
    }
  }
  static constexpr std::string_view kDim = "\033[2m", kBright = "\033[22m";
};

// What a call gave: of the command, where the user lets it run, or what he types.
std::string ResultOf(const Call& call, const std::string& exec, LineReader& lines) {
  Print("\n" + call.name + "(" + call.arguments + ")\n");
  const auto line = lines.Read(exec.empty() ? "result: " : "run it? [y/N] ");
  if (!line) throw Error("the call of " + call.name + " was not answered");
  if (exec.empty()) return line->text;
  if (line->text != "y" && line->text != "Y" && line->text != "yes") {
    return "The user did not allow this call.";
  }
  try {
    std::string result = RunCall(exec, call);
    DropByteOrderMark(&result);
    if (const size_t valid = Utf8Prefix(result); valid < result.size()) {
      Tell("note: what ", exec, " ", call.name, " printed is not UTF-8 at its byte ", valid,
           "; what is none counts as U+FFFD");
    }
    return result;
  } catch (const Error& error) {
    Tell("rondo: ", error.what());
    return "Error: the call failed.";  // how it is answered is not the model's to know
  }
}

// Tells the model what its calls gave, with which it goes on.
void AnswerCalls(const std::vector<Call>& calls, const std::string& exec, LineReader& lines,
                 Conversation* conversation, int32_t* reason) {
  for (size_t i = 0; i < calls.size(); ++i) {
    const std::string result = ResultOf(calls[i], exec, lines);
    *reason = conversation->Tell(calls[i], result, i + 1 == calls.size(), Shown());
  }
}

// Asks, and answers calls until there are none. A turn whose calls do not come to an end is taken
// back, so that no call stays without a result.
int32_t Converse(const std::string& question, const std::string& exec, LineReader& lines,
                 Conversation* conversation) {
  constexpr int kMostRounds = 16;  // of calls in one turn
  int32_t reason = conversation->Ask(question, Shown());
  try {
    for (int round = 0; !conversation->calls().empty(); ++round) {
      if (round == kMostRounds) {
        Fail("after ", kMostRounds, " rounds of calls in one turn the model still made calls");
      }
      const std::vector<Call> calls = conversation->calls();
      Explained([&] { AnswerCalls(calls, exec, lines, conversation, &reason); });
    }
  } catch (const OutputError&) {
    throw;
  } catch (const Error& error) {
    conversation->TakeBack();
    Fail(error.what(), "; ", kTakenBack);
  } catch (const Interrupted& interruption) {
    conversation->TakeBack();
    if (interruption.signal() != SIGINT || !lines.is_terminal()) throw;
    ForgetCtrlC();
    reason = RONDO_REASON_NONE;
  }
  return reason;
}

// Answers one message or command; false at the end.
bool Turn(const Message& message, const Arguments& arguments, LineReader& lines,
          Conversation& conversation) {
  if (message.text.find_first_not_of(" \t\n") == std::string::npos) return true;
  if (!message.is_quoted && LooksLikeCommand(message.text)) {
    return RunCommand(message.text,
                      {arguments.form.system, arguments.session_path, lines.is_terminal()},
                      conversation);
  }
  if (conversation.sees() && !message.is_block) {
    const std::vector<std::string> pictures = NamedPictures(message.text);
    for (const std::string& path : pictures) Attach(path, lines.is_terminal(), &conversation);
    if (!pictures.empty()) return true;
  }
  const size_t before = conversation.messages().size();
  int32_t reason = RONDO_REASON_NONE;
  try {
    reason = Converse(message.text, arguments.exec, lines, &conversation);
  } catch (const OutputError&) {
    throw;
  } catch (const std::runtime_error&) {
    Keep(arguments.session_path, conversation);
    throw;
  }
  Print("\n");
  TellReason(reason, conversation.messages().size() > before, arguments.session.max_tokens,
             conversation);
  Keep(arguments.session_path, conversation);
  return true;
}

void Run(Arguments arguments) {
  const Model model = OpenPredictor(arguments.model);
  RequireTemplate(model, arguments);
  CheckStops(arguments.session);
  ChatForm& form = arguments.form;
  if (!arguments.template_path.empty()) {
    form.template_text = ReadTextFile("the chat template", arguments.template_path);
    if (form.template_text.empty()) throw Error("the chat template is empty");
  }
  if (!arguments.tools_path.empty()) form.tools = ReadFunctions(arguments.tools_path);
  if (const size_t valid = Utf8Prefix(form.system); valid < form.system.size()) {
    Fail("--system: the text is not UTF-8 at its byte ", valid);
  }
  SessionOptions& session = arguments.session;
  session.grammar = OpenConstraint(arguments.constraint, model);
  const std::optional<Model> draft = OpenDraft(arguments.draft, &arguments.engine, &session);
  UseAdapter(arguments.adapter, model, &arguments.engine, &session);
  if (arguments.engine.context == 0) arguments.engine.context = ContextFor(model, 0);
  if (arguments.usual_image_rows) {
    arguments.engine.max_media_rows = UsualImageRows(model, form.image);
  }
  form.slides = arguments.engine.context_policy == RONDO_POLICY_SLIDE;
  const Engine engine = CreateEngine(model, arguments.engine);
  Conversation conversation(model, engine, session, form);
  Resume(arguments, &conversation);

  LineReader lines;
  if (lines.is_terminal()) {
    Print("/help tells what there is.\n");
    TellSampling(model, session);
  }
  for (const std::string& path : arguments.images) {
    Attach(path, lines.is_terminal(), &conversation);
  }
  bool failed = false;
  for (bool going_on = true; going_on;) {
    try {
      const std::optional<Message> message = ReadMessage(lines);
      going_on =
          message && Explained([&] { return Turn(*message, arguments, lines, conversation); });
    } catch (const OutputError&) {
      throw;  // nobody would see what else is said
    } catch (const Error& error) {
      // A person reads it and goes on; a script wants to know at the end.
      Tell("rondo: ", error.what());
      failed = true;
    } catch (const Interrupted& interruption) {
      // At the prompt Ctrl-C takes back what was typed.
      if (interruption.signal() != SIGINT || !lines.is_terminal()) throw;
      ForgetCtrlC();
      Print("\n");
    }
  }
  if (failed && !lines.is_terminal()) throw CLI::RuntimeError(1);
}

}  // namespace

void AddChatCommand(CLI::App& app) {
  const auto a = std::make_shared<Arguments>();
  a->session.speculation = RONDO_SPECULATION_PROMPT_LOOKUP;
  CLI::App* command = app.add_subcommand("chat", "Talk with a model, by its own chat template");
  AddModelArgument(command, &a->model);
  command->add_option("--system", a->form.system, "The system prompt; default: none")
      ->type_name("TEXT")
      ->group(kTextGroup);
  AddFile(command, "--template", &a->template_path,
          "A Jinja file with the chat template, whose end of a turn then ends answers, too; "
          "default: the model's own")
      ->group(kTextGroup);
  command
      ->add_flag("--special-tokens", a->form.special_tokens,
                 "What reads like a special token in a message becomes this token, and no text")
      ->group(kTextGroup);
  AddFile(command, "--session", &a->session_path,
          "Keeps the conversation in this file, and goes on with it where it exists; default: it "
          "is forgotten")
      ->group(kTextGroup);
  CLI::Option* tools =
      AddFile(command, "--tools", &a->tools_path,
              "A JSON list of functions that the model may call, whose calls then always parse; "
              "default: none")
          ->group(kTextGroup);
  command
      ->add_option(
          "--exec", a->exec,
          "Answers calls, each after asking, by what COMMAND NAME prints, run by the system's "
          "shell with the arguments as its input; default: you type what a call gave")
      ->type_name("COMMAND")
      ->needs(tools)
      ->group(kTextGroup);
  AddInteger(command, "--thinking-tokens", &a->form.thinking_tokens, {0, UINT64_MAX, "any number"},
             "The most tokens of a thought, which then is ended", "0")
      ->group(kTextGroup);
  AddImages(command, &a->images,
            "A picture (JPEG, PNG, WebP) for the first message, as /image FILE gives one to any");
  AddImageOptions(command, &a->form.image);
  AddSamplingFlags(command, &a->session);
  AddContextFlag(command, &a->engine, "the model's own, but at most " + FormatCount(kUsualContext));
  AddImageRowsFlag(command, &a->engine,
                   "of models that see as many as " + FormatCount(kUsualPictures) +
                       " pictures of " + std::to_string(kUsualSize.width) + " x " +
                       std::to_string(kUsualSize.height) + " have");
  AddThreadsFlag(command, &a->engine);
  AddKvFlag(command, &a->engine.kv_format);
  AddPolicyFlags(command, &a->engine);
  AddConstraintFlags(command, &a->constraint);
  AddSpeculationFlags(command, &a->engine, &a->session, &a->draft);
  AddAdapterFlag(command, &a->adapter)->group(kMemoryGroup);
  command->footer(kExamples);
  command->callback([a, command] {
    a->usual_image_rows = command->count("--image-rows") == 0;
    Run(*a);
  });
}

}  // namespace rondo::tools
