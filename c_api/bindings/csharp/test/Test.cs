using System;
using System.Collections.Generic;
using System.Linq;
using Rondo;

/// <summary>A whole life with the tiny model, whose file RONDO_TEST_MODEL names.</summary>
public static class Test
{
    private static void Equal<T>(T expected, T actual)
    {
        if (!EqualityComparer<T>.Default.Equals(expected, actual))
        {
            throw new Exception("expected " + expected + ", got " + actual);
        }
    }

    private static void Fails(Status status, string words, Action call)
    {
        try
        {
            call();
        }
        catch (RondoException error)
        {
            Equal(status, error.Status);
            Equal(true, error.Message.Contains(words));
            return;
        }
        throw new Exception("it should fail with " + status);
    }

    public static void Main()
    {
        Model model = Model.Open(Environment.GetEnvironmentVariable("RONDO_TEST_MODEL"));
        EngineOptions options = new EngineOptions { Context = 256, MaxSessions = 4 };
        SessionOptions limit = new SessionOptions { MaxTokens = 12 };
        Engine engine = model.Engine(options);
        Equal(2048u, model.Info.VocabSize);
        Equal("LlamaForCausalLM", model.Fact("architecture"));
        Equal(engine.Memory.ArenaBytes, model.Plan(options).ArenaBytes);
        Equal(true, model.PlanFit(engine.Memory.ArenaBytes, options) >= 256);
        int[] ids = model.Tokenize("Today's weather is so");
        Equal("Today's weather is so", model.Detokenize(ids, DetokenizeFlags.SkipSpecial));

        Session session = engine.Session(limit);
        session.Prefill(ids);
        float[] logits = session.Logits();
        Session fork = session.Fork(limit);
        byte[] saved = session.Save();
        List<Event> events = session.Stream().ToList();
        string text = string.Concat(events.Select(one => one.Text));
        Equal(Reason.TokenLimit, events.Last().Reason);
        Equal(Array.IndexOf(logits, logits.Max()), events[0].Token);
        Equal(256ul, session.Position + session.Remaining);
        Equal(text, fork.Generate());
        session.Restore(saved);
        Equal(text, session.Generate());
        saved[saved.Length - 1] ^= 1;
        Fails(Status.Corrupt, "", () => session.Restore(saved));

        session.Reset();
        session.Cancel();
        Fails(Status.Cancelled, "", () => session.Prefill(ids));
        fork.Reset();
        session.Append(ids);
        fork.Append(ids);
        string[] texts = { "", "" };
        List<Session> both = new List<Session> { session, fork }, running = both.ToList();
        while (running.Count > 0)
        {
            engine.Step(running);
            foreach (Session one in running.ToList())
            {
                Event got = one.TakeEvent();
                texts[both.IndexOf(one)] += got.Text;
                if (got.Reason != Reason.None) running.Remove(one);
            }
        }
        Equal(text, texts[0]);
        Equal(text, texts[1]);
        Equal(2u, engine.Stats.SessionsOpen);

        SessionOptions stop = new SessionOptions
        {
            RecommendedBy = model, LogitBias = { { events[0].Token, -1e9f } }
        };
        stop.MaxTokens = 4;
        Session other = engine.Session(stop);
        other.Prefill(ids);
        Equal(false, other.Next().Token == events[0].Token);

        Chat chat = new Chat { Messages = "[{\"role\": \"user\", \"content\": \"Grüße\"}]" };
        Fails(Status.Unsupported, "", () => model.RenderChat(chat));
        chat.Template = "{{ messages[0].content }}{{ tail }}";
        chat.Variables = "{\"tail\": \"!\"}";
        Equal("Grüße!", model.RenderChat(chat));
        Equal(true, model.ChatIds(chat).SequenceEqual(model.Tokenize("Grüße!", 0)));

        Fails(Status.IoError, "absent.rondo", () => Model.Open("absent.rondo"));
        Fails(Status.InvalidArgument, "2048", () => session.Prefill(new[] { 2048 }));
        Fails(Status.ContextFull, "", () => session.Prefill(new int[257]));
        model.Dispose(); // in any order
        engine.Dispose();
        session.Dispose();
        Console.WriteLine("1 passed, 0 failed");
    }
}
