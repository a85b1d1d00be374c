using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.RegularExpressions;
using System.Threading;
using System.Threading.Tasks;
using Rondo;
using static Support;

public static class TextTests
{
    public static void B19_B20_B21_Generate()
    {
        using Model model = Open();
        using Engine engine = model.CreateEngine(Few);
        string text = Text(engine, Limit());
        True(text.Length > 10);
        using Session session = engine.CreateSession(Limit());
        Equal(text, session.Generate(model.Tokenize(Prompt)));
        session.Reset();
        List<Event> events = session.Stream(Prompt).ToList();
        Equal(text, string.Concat(events));
        Equal(12, events.Count(one => one.Token != null));
        True(events.All(one => !one.Text.Contains('\ufffd')));
        session.Reset();
        session.Prefill(model.Tokenize(Prompt));
        Equal(text, session.Generate());
        Throws<ArgumentNullException>(() => session.Generate((string)null!), "prompt");
        Fails(Status.InvalidArgument, () => session.Prefill(new[] { 2048 }), "2048");
        Fails(Status.ContextFull, () => session.Prefill(new int[257]));
    }

    public static async Task B21_StreamAsync()
    {
        using Model model = Open();
        using Engine engine = model.CreateEngine(Few);
        string text = Text(engine, Limit()), streamed = "";
        using Session session = engine.CreateSession(Limit());
        await foreach (Event one in session.StreamAsync(Prompt)) streamed += one.Text;
        Equal(text, streamed);
        session.Reset();
        Equal(text, await session.GenerateAsync(Prompt));
        session.Reset();
        Equal(text, await session.GenerateAsync(model.Tokenize(Prompt)));
    }

    /// <summary>A single text is no list: Refused.cs.</summary>
    public static void B22_StopStrings()
    {
        using Model model = Open();
        using Engine engine = model.CreateEngine(Few);
        string text = Text(engine, Limit()), stop = text.Substring(4, 4);
        Equal(text.Substring(0, 4), Text(engine, new SessionOptions { MaxTokens = 12, Stop = new[] { "zzz", stop } }));
        Throws<ArgumentNullException>(() => engine.CreateSession(new SessionOptions { Stop = new string[] { null! } }), "Stop");
        Throws<ArgumentException>(() => engine.CreateSession(new SessionOptions { Stop = new[] { "a\0" } }), "Stop");
    }

    public static void B23_Reasons()
    {
        using Model model = Open();
        using Engine engine = model.CreateEngine(Few);
        Reason End(SessionOptions options)
        {
            using Session session = engine.CreateSession(options);
            return session.Stream(Prompt).Last().Reason;
        }
        Equal(Reason.TokenLimit, End(Limit()));
        string text = Text(engine, Limit());
        Equal(Reason.StopString, End(new SessionOptions { Stop = new[] { text.Substring(4, 4) } }));
        Dictionary<int, float> end = new Dictionary<int, float> { [model.EosTokens[0]] = 1e9f };
        Equal(Reason.Eos, End(new SessionOptions { LogitBias = end }));
        using Grammar grammar = model.CreatePatternGrammar("[ab]{2}");
        Reason whole = End(new SessionOptions { Grammar = grammar });
        True(whole == Reason.Grammar || whole == Reason.Eos);
        Equal("TokenLimit", Reason.TokenLimit.ToString());
    }

    public static async Task B24_LeftEarly()
    {
        using Model model = Open();
        using Engine engine = model.CreateEngine(Few);
        string text = Text(engine, Limit());
        using Session session = engine.CreateSession(Limit());
        foreach (Event one in session.Stream(Prompt)) break;
        session.Reset();
        Equal(text, session.Generate(Prompt));
        session.Reset();
        await foreach (Event one in session.StreamAsync(Prompt)) break;
        session.Reset();
        Equal(text, session.Generate(Prompt));
    }

    public static async Task B24_TwoGenerationsOfOneSession()
    {
        using Model model = Open();
        using Engine engine = model.CreateEngine(Few);
        using Session session = engine.CreateSession(Limit(8));
        using IEnumerator<Event> old = session.Stream(Prompt).GetEnumerator(), next = session.Stream(" and").GetEnumerator();
        old.MoveNext();
        next.MoveNext();
        Fails(Status.Busy, () => old.MoveNext());
        await using IAsyncEnumerator<Event> walk = session.StreamAsync(" then").GetAsyncEnumerator();
        await walk.MoveNextAsync();
        Fails(Status.Busy, () => next.MoveNext());
        session.Chat(new[] { ChatMessage.User("Once") }, new ChatOptions { Template = "{{ messages[0].content }}" });
        Fails(Status.Busy, () => walk.MoveNextAsync().AsTask().GetAwaiter().GetResult());
    }

    public static async Task B25_NothingAhead()
    {
        using Model model = Open();
        using Engine engine = model.CreateEngine(Few);
        using Session session = engine.CreateSession(Limit(100));
        await using IAsyncEnumerator<Event> walk = session.StreamAsync(Prompt).GetAsyncEnumerator();
        await walk.MoveNextAsync();
        await Task.Delay(100);
        Equal(1L, session.Stats.TokensGenerated);
        IEnumerable<Event> unread = session.Stream("more");
        Equal(1L, session.Stats.TokensGenerated);
    }

    public static void B26_Seeds()
    {
        using Model model = Open();
        using Engine engine = model.CreateEngine(Few);
        string Of(ulong seed) => Text(engine, new SessionOptions { Temperature = 1.5f, Seed = seed, MaxTokens = 20 });
        Equal(Of(7), Of(7));
        True(new[] { Of(8), Of(9) }.Any(text => text != Of(7)));
    }

    private const string Person = "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\",\"maxLength\":12}," +
        "\"age\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":130}},\"required\":[\"name\",\"age\"]}";

    public static void B30_JsonSchema()
    {
        using Model model = Open();
        using Engine engine = model.CreateEngine(Few);
        SessionOptions warm = new SessionOptions { Temperature = 1, Seed = 7, JsonSchema = Person };
        string said = Text(engine, warm);
        using System.Text.Json.JsonDocument person = System.Text.Json.JsonDocument.Parse(said);
        int age = person.RootElement.GetProperty("age").GetInt32();
        True(age >= 0 && age <= 130 && person.RootElement.GetProperty("name").GetString()!.Length <= 12);
        Session session, fork;
        using (Grammar grammar = model.CreateJsonGrammar(Person, new GrammarOptions { OneSpace = true, NamedOnly = true }))
        using (Grammar letters = model.CreatePatternGrammar("[ab]{4}c"))
        {
            session = engine.CreateSession(new SessionOptions { Temperature = 1, Seed = 7, Grammar = grammar });
            fork = session.Fork(new SessionOptions { Grammar = letters });
        }
        Equal(said, session.Generate(Prompt)); // the sessions go on
        True(Regex.IsMatch(fork.Generate(Prompt), "^[ab]{4}c$"));
        session.Dispose();
        fork.Dispose();
        string both = "{\"type\":\"object\",\"properties\":{\"a\":{\"enum\":[1]},\"b\":{\"enum\":[2]}}," +
            "\"required\":[\"a\",\"b\"],\"additionalProperties\":false}";
        foreach (bool any in new[] { false, true })
        {
            using Grammar grammar = model.CreateJsonGrammar(both, new GrammarOptions { NoSpaces = true, AnyOrder = any });
            SessionOptions options = new SessionOptions { Temperature = 1, Seed = 7, Grammar = grammar };
            Equal(any ? "{\"b\":2,\"a\":1}" : "{\"a\":1,\"b\":2}", Text(engine, options));
        }
        string refused = "{\"properties\":{\"a\":{\"uniqueItems\":true}}}", pointer = "#/properties/a/uniqueItems";
        Fails(Status.Unsupported, () => model.CreateJsonGrammar(refused), pointer);
        Fails(Status.Unsupported, () => engine.CreateSession(new SessionOptions { JsonSchema = refused }), pointer);
        GrammarOptions few = new GrammarOptions { MemoryBytes = 1 << 20 };
        long small = model.PlanGrammar(GrammarKind.JsonSchema, Person, few);
        True(small > 0 && small < model.PlanGrammar(GrammarKind.JsonSchema, Person));
        using Grammar rules = model.CreateRulesGrammar("root ::= \"sky\" | \"sea\"");
        True(Regex.IsMatch(Text(engine, new SessionOptions { Grammar = rules }), "^(sky|sea)$"));
    }

    public static void AlsoThinking()
    {
        using Model model = Open();
        using Engine engine = model.CreateEngine(Few);
        List<Channel> Channels(SessionOptions options)
        {
            (options.MaxTokens, options.Temperature, options.Seed) = (32, 1, 3);
            using Session session = engine.CreateSession(options);
            return session.Stream("Lily saw her mom").Select(one => one.Channel).ToList();
        }
        True(Channels(new SessionOptions()).All(one => one == Channel.Text));
        SessionOptions words = new SessionOptions { Thinking = true, ThinkingBegin = " mom", ThinkingEnd = " day.\n" };
        Equal(Channel.Thinking, Channels(words)[0]);
        words.ThinkingTokens = 1;
        int thought = Channels(words).IndexOf(Channel.Text);
        True(thought > 0 && thought < 8);
        Fails(Status.Unsupported, () => Channels(new SessionOptions { Thinking = true }), "chat template");
    }
}
