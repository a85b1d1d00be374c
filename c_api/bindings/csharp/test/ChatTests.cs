using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading.Tasks;
using Rondo;
using static Support;

public static class ChatTests
{
    private const string Weather = "[{\"type\": \"function\", \"function\": {\"name\": \"weather\", \"parameters\": {" +
        "\"type\": \"object\", \"properties\": {\"city\": {\"enum\": [\"Rome\", \"Oslo\"]}}, \"required\": [\"city\"], " +
        "\"additionalProperties\": false}}}]";
    private static readonly ChatMessage[] Asked = { ChatMessage.User("How is the weather?") };
    private static readonly ChatOptions Tools = new ChatOptions { Tools = Weather };

    public static async Task B27_Chat()
    {
        using Model model = Open("CALLING");
        using Engine engine = model.CreateEngine(Few);
        using Session session = engine.CreateSession(Limit());
        ChatMessage[] messages = { ChatMessage.System("Be kind."), ChatMessage.User("Grüße \"\\\n\u0001🙂") };
        session.Prefill(model.ChatIds(messages));
        string text = session.Generate();
        ChatReply reply = session.Chat(messages);
        Equal(text, reply.Text);
        Equal(text, reply.ToString());
        Equal(Reason.TokenLimit, reply.Reason);
        Equal("", reply.Thinking);
        Equal(0, reply.Calls.Count);
        Equal(text, string.Concat(session.ChatStream(messages).Select(part => part.Text)));
        string streamed = "";
        Reason reason = Reason.None;
        await foreach (ChatPart part in session.ChatStreamAsync(messages))
        {
            streamed += part.Text;
            reason = part.Reason;
        }
        Equal(text, streamed);
        Equal(Reason.TokenLimit, reason);
        Equal(text, (await session.ChatAsync(messages)).Text);
        Equal(session.Chat(new[] { ChatMessage.User("Hi") }).Text, session.Chat("Hi").Text);
        Throws<ArgumentNullException>(() => session.Chat((ChatMessage[])null!), "messages");
        Throws<ArgumentNullException>(() => session.Chat(new ChatMessage[] { null! }), "messages");
        Throws<ArgumentNullException>(() => ChatMessage.User(null!), "content");
        Fails(Status.InvalidArgument, () => session.Chat(new[] { ChatMessage.FromJson("{") }));
    }

    public static void B27_StopStrings()
    {
        using Model model = Open("CALLING");
        using Engine engine = model.CreateEngine(Few);
        string Said(params string[] stop)
        {
            using Session session = engine.CreateSession(new SessionOptions { MaxTokens = 12, Stop = stop });
            return session.Chat("How is the weather?").Text;
        }
        string whole = Said();
        foreach (char letter in whole.Distinct().Where(letter => !char.IsSurrogate(letter)))
        {
            Equal(whole.Substring(0, whole.IndexOf(letter)), Said(letter.ToString()));
        }
    }

    /// <summary>A misspelled one is the compiler's: Refused.cs.</summary>
    public static void B28_UnknownOption() => Same(
        new[] { "AddGenerationPrompt", "ContinueFinal", "LocalTime", "Media", "PlainContent", "Template", "TemplateName",
            "Tools", "Variables" },
        typeof(ChatOptions).GetProperties().Select(option => option.Name).OrderBy(name => name, StringComparer.Ordinal));

    public static void B29_Tools()
    {
        using Model model = Open("CALLING");
        using Engine engine = model.CreateEngine(Few);
        using Grammar grammar = model.CreateChatGrammar(Asked, Tools, Calls.One, "weather");
        using Session session = engine.CreateSession(new SessionOptions { Grammar = grammar });
        ChatReply reply = session.Chat(Asked, Tools);
        ChatCall call = reply.Calls.Single();
        using System.Text.Json.JsonDocument arguments = System.Text.Json.JsonDocument.Parse(call.Arguments);
        string city = arguments.RootElement.GetProperty("city").GetString()!;
        True(city == "Rome" || city == "Oslo");
        Equal("weather", call.Name);
        using Session answering = engine.CreateSession(Limit());
        ChatMessage[] more = { Asked[0], ChatMessage.Assistant(reply), ChatMessage.Tool("{\"sky\": \"clear\"}") };
        True(model.RenderChat(more, Tools).Contains(city));
        True(answering.Chat(more, Tools).Text.Length > 0);
        Fails(Status.InvalidArgument, () => model.CreateChatGrammar(Asked, Tools, function: "absent"), "absent");
    }

    public static void AlsoParts()
    {
        using Model model = Open("CALLING");
        string whole = "<think>\nso\n</think>\n\nGrüße<tool_call>\n" +
            "{\"name\": \"weather\", \"arguments\": {\"city\": \"Rome\"}}\n</tool_call>";
        using ChatParser parser = model.CreateChatParser(Asked, Tools);
        for (int time = 0; time < 2; ++time)
        {
            List<ChatPart> parts = new List<ChatPart>();
            foreach (byte one in Encoding.UTF8.GetBytes(whole))
            {
                parser.Push(new[] { one });
                parts.AddRange(parser.Parts());
            }
            parser.Push(default, true);
            parts.AddRange(parser.Parts());
            string Of(ChatPartKind kind) => string.Concat(parts.Where(part => part.Kind == kind).Select(part => part.Text));
            Equal("so|Grüße", Of(ChatPartKind.Thinking) + "|" + Of(ChatPartKind.Content));
            Equal("{\"city\": \"Rome\"}", Of(ChatPartKind.Arguments));
            Equal("weather", parts.Single(part => part.Kind == ChatPartKind.Call).Name);
            Equal("{\"city\": \"Rome\"}", parts.Last().Arguments);
            Fails(Status.InvalidArgument, () => parser.Push(new byte[] { 65 }));
            parser.Reset();
        }
        Equal("<think>", model.ChatThinking(Asked).Begin.Trim());
    }

    public static void AlsoTemplates()
    {
        using Model model = Open();
        ChatMessage[] greeting = { ChatMessage.User("Grüße") };
        Fails(Status.Unsupported, () => model.RenderChat(greeting));
        ChatOptions own = new ChatOptions { Template = "{{ messages[0].content }}{{ tail }}", Variables = "{\"tail\": \"!\"}" };
        Equal("Grüße!", model.RenderChat(greeting, own));
        Same(model.Tokenize("Grüße!", TokenizeFlags.None), model.ChatIds(greeting, own));
        ChatOptions dated = new ChatOptions { Template = "{{ strftime_now('%Y-%m-%d %H:%M') }}", LocalTime = new DateTime(2024, 2, 29, 13, 5, 0) };
        Equal("2024-02-29 13:05", model.RenderChat(greeting, dated));
        ChatMessage[] sly = { ChatMessage.User("<|pad|>") };
        using Model calling = Open("CALLING");
        Equal(0, calling.ChatIds(sly).Count(id => id == 2));
        Equal(1, calling.ChatIds(sly, new ChatOptions { PlainContent = false }).Count(id => id == 2));
    }
}
