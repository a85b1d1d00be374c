using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using Rondo;
using static Support;

public static class OptionTests
{
    // b11 and b12: the compiler refuses by name what does not exist and what is of another type: Refused.cs.

    public static void B13_Ranges()
    {
        EngineOptions engine = new EngineOptions();
        Throws<ArgumentOutOfRangeException>(() => engine.MaxSessions = unchecked((int)((1L << 32) + 65)), "MaxSessions");
        Throws<ArgumentOutOfRangeException>(() => engine.MaxSessions = 0, "MaxSessions is 0, but must be 1 to 64");
        Throws<ArgumentOutOfRangeException>(() => engine.Context = -1, "Context");
        Throws<ArgumentOutOfRangeException>(() => engine.Context = (1 << 24) + 1, "Context");
        SessionOptions session = new SessionOptions();
        Throws<ArgumentOutOfRangeException>(() => session.Temperature = float.NaN, "Temperature");
        Throws<ArgumentOutOfRangeException>(() => session.Temperature = float.PositiveInfinity, "Temperature");
        Throws<ArgumentOutOfRangeException>(() => session.TopP = 0, "TopP is 0, but must be above 0, at most 1");
        Throws<ArgumentOutOfRangeException>(() => session.MinP = 1, "MinP");
        Throws<ArgumentOutOfRangeException>(() => session.MaxTokens = -1, "MaxTokens");
        Throws<ArgumentOutOfRangeException>(() => session.TopK = -1, "TopK");
        Throws<ArgumentOutOfRangeException>(() => new GrammarOptions { MemoryBytes = 5 }, "MemoryBytes");
        Throws<ArgumentOutOfRangeException>(() => new Image(Pixels.Rgb8, 65536, 1, new byte[3]), "width");
        Throws<ArgumentOutOfRangeException>(() => new Image(Pixels.Rgb8, 1, -1, new byte[3]), "height");
        using Model model = Open();
        Throws<ArgumentOutOfRangeException>(() => model.Plan(new EngineOptions { Cpus = new[] { -1 } }), "Cpus");
    }

    public static void B14_NamesOfThisBinding()
    {
        using Model model = Open();
        Fails(Status.InvalidArgument, () => model.Plan(new EngineOptions { ContextPolicy = (Policy)7 }), "ContextPolicy");
        Fails(Status.InvalidArgument, () => model.Plan(new EngineOptions { KvFormat = (Kv)7 }), "KvFormat");
        using Engine engine = model.CreateEngine(Few);
        Fails(Status.InvalidArgument, () => engine.CreateSession(
            new SessionOptions { Speculation = (Speculation)9 }), "Speculation is 9");
        using Session session = engine.CreateSession();
        Fails(Status.InvalidArgument,
            () => session.AppendInputs(new[] { new Input(new float[model.Info.HiddenSize]) }), "MaxInputRows is 0");
    }

    public static void B15_EngineOptions()
    {
        using Model model = Open();
        Dictionary<string, object> values = new Dictionary<string, object>
        {
            ["Context"] = 128, ["MaxSessions"] = 2, ["MaxRows"] = 32, ["Threads"] = 1, ["ContextPolicy"] = Policy.Slide,
            ["SinkTokens"] = 16, ["KvFormat"] = Kv.Float32, ["Kernels"] = "scalar", ["KvTokens"] = 512,
            ["RowsPerStep"] = 8, ["NoPrefixCache"] = true, ["ProfileEvents"] = 100, ["DutyPercent"] = 90,
            ["Draft"] = model, ["Cpus"] = new[] { 0 }, ["Affinity"] = Affinity.Performance, ["AdapterRank"] = 4,
            ["MaxInputRows"] = 8, ["MaxMediaRows"] = 0,
        };
        foreach (PropertyInfo option in typeof(EngineOptions).GetProperties())
        {
            EngineOptions options = new EngineOptions { Context = 256 };
            if (option.Name == "SinkTokens") options.ContextPolicy = Policy.Slide; // else it is refused
            if (option.Name == "DraftHead") // which the tiny model has not
            {
                options.DraftHead = true;
                Fails(Status.InvalidArgument, () => model.Plan(options), "DraftHead");
                continue;
            }
            option.SetValue(options, values[option.Name]);
            Equal(values[option.Name], option.GetValue(options));
            True(model.Plan(options).ArenaBytes > 0);
            values.Remove(option.Name);
        }
        Equal(0, values.Count);
        MemoryPlan plan = model.Plan(new EngineOptions { Context = 128, MaxRows = 32, Kernels = "scalar" });
        Equal("128 32 scalar", $"{plan.Context} {plan.MaxRows} {plan.Kernels}");
        Fails(Status.InvalidArgument, () => model.Plan(new EngineOptions { Kernels = "absent" }), "absent");
        Throws<ArgumentException>(() => model.Plan(new EngineOptions { Kernels = "a\0b" }), "Kernels");
    }

    public static void B16_SessionOptions()
    {
        using Model model = Open();
        using Engine engine = model.CreateEngine(new EngineOptions { Context = 256, AdapterRank = 4, Draft = model });
        using Adapter adapter = model.OpenAdapter(PathOf("ADAPTER"));
        using Grammar grammar = model.CreatePatternGrammar("[ab]+");
        Dictionary<string, SessionOptions> values = new Dictionary<string, SessionOptions>
        {
            ["Recommended"] = new SessionOptions { Recommended = false },
            ["Temperature"] = new SessionOptions { Temperature = 0.5f }, ["TopK"] = new SessionOptions { TopK = 3 },
            ["TopP"] = new SessionOptions { TopP = 0.5f }, ["MinP"] = new SessionOptions { MinP = 0.5f },
            ["RepetitionPenalty"] = new SessionOptions { RepetitionPenalty = 1.5f },
            ["PresencePenalty"] = new SessionOptions { PresencePenalty = -1 },
            ["FrequencyPenalty"] = new SessionOptions { FrequencyPenalty = 1 },
            ["PenaltyLastN"] = new SessionOptions { PenaltyLastN = 5 },
            ["IgnoreEos"] = new SessionOptions { IgnoreEos = true }, ["Logprobs"] = new SessionOptions { Logprobs = true },
            ["NoRepeatNgramSize"] = new SessionOptions { NoRepeatNgramSize = 3 },
            ["Seed"] = new SessionOptions { Seed = ulong.MaxValue }, ["MaxTokens"] = new SessionOptions { MaxTokens = 3 },
            ["Speculation"] = new SessionOptions { Speculation = Speculation.DraftModel },
            ["MaxDrafts"] = new SessionOptions { MaxDrafts = 3 },
            ["GrammarBegin"] = new SessionOptions { Grammar = grammar, GrammarBegin = GrammarBegin.AfterToken, GrammarToken = 5 },
            ["GrammarToken"] = new SessionOptions { Grammar = grammar, GrammarBegin = GrammarBegin.AfterToken, GrammarToken = 6 },
            ["GrammarGoesOn"] = new SessionOptions { Grammar = grammar, GrammarGoesOn = true },
            ["Thinking"] = new SessionOptions { Thinking = true, ThinkingBegin = " a", ThinkingEnd = " b" },
            ["ThinkingBegin"] = new SessionOptions { Thinking = true, ThinkingBegin = " a", ThinkingEnd = " b" },
            ["ThinkingEnd"] = new SessionOptions { Thinking = true, ThinkingBegin = " a", ThinkingEnd = " c" },
            ["ThinkingTokens"] = new SessionOptions { Thinking = true, ThinkingBegin = " a", ThinkingEnd = " b", ThinkingTokens = 3 },
            ["Stop"] = new SessionOptions { Stop = new[] { "mom" } },
            ["LogitBias"] = new SessionOptions { LogitBias = new Dictionary<int, float> { [3] = 1 } },
            ["Adapter"] = new SessionOptions { Adapter = adapter }, ["Grammar"] = new SessionOptions { Grammar = grammar },
            ["JsonSchema"] = new SessionOptions { JsonSchema = "{\"enum\": [1]}" },
        };
        Same(typeof(SessionOptions).GetProperties().Select(option => option.Name).OrderBy(name => name),
            values.Keys.OrderBy(name => name));
        foreach (SessionOptions options in values.Values) engine.CreateSession(options).Dispose();
        Throws<ArgumentException>(() => engine.CreateSession(
            new SessionOptions { Grammar = grammar, JsonSchema = "{}" }), "JsonSchema");
        using Session told = engine.CreateSession(new SessionOptions { Logprobs = true });
        told.Append(model.Tokenize(Prompt));
        True(told.Next().Logprob < 0);
    }

    public static void B17_Recommended()
    {
        using Model plain = Open(), makers = Open("RECOMMENDING");
        using Engine engine = makers.CreateEngine(Few), without = plain.CreateEngine(Few);
        string recommended = Text(engine, Limit()), usual = Text(without, Limit());
        True(recommended != usual);
        Equal(recommended, Text(engine, new SessionOptions { MaxTokens = 12, Temperature = 1.5f }));
        Equal(usual, Text(engine, new SessionOptions { MaxTokens = 12, Recommended = false }));
        using Session greedy = engine.CreateSession(new SessionOptions { Recommended = false });
        greedy.Prefill(makers.Tokenize(Prompt));
        using Session sampled = greedy.Fork(Limit());
        Equal(recommended, sampled.Generate());
    }

    public static void B18_Speculation()
    {
        using Model model = Open(), draft = Open();
        using Engine engine = model.CreateEngine(new EngineOptions { Context = 256, Draft = draft });
        using (Engine without = model.CreateEngine(Few))
        {
            string usual = Text(without, Limit(40));
            draft.Dispose(); // the engine keeps it
            Equal(usual, Text(engine, new SessionOptions { MaxTokens = 40, Speculation = Speculation.DraftModel }));
            Equal(usual, Text(engine, new SessionOptions { MaxTokens = 40, Speculation = Speculation.PromptLookup }));
        }
        True(engine.Stats.DraftsAccepted > 0);
    }

    public static void AlsoCpus()
    {
        using Model model = Open();
        EngineOptions one = new EngineOptions { Context = 64, Cpus = new[] { 0 } };
        Equal(1, model.Plan(one).Threads);
        Fails(Status.InvalidArgument, () => model.CreateEngine(
            new EngineOptions { Affinity = Affinity.Cpus, Cpus = new[] { 1023 } }), "1023");
    }
}
