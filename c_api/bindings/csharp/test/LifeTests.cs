using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;
using Rondo;
using static Support;

public static class LifeTests
{
    public static void B41_B42_Closed()
    {
        Model model = Open();
        Engine engine = model.CreateEngine(Few);
        Session session = engine.CreateSession();
        Adapter adapter = model.OpenAdapter(PathOf("ADAPTER"));
        Grammar grammar = model.CreatePatternGrammar("a");
        foreach (IDisposable one in new IDisposable[] { session, engine, adapter, grammar, model })
        {
            one.Dispose();
            one.Dispose();
        }
        Action[] calls = {
            () => _ = model.Info, () => model.Tokenize("a"), () => model.CreateEngine(), () => model.Plan(),
            () => model.OpenAdapter("a"), () => model.CreateJsonGrammar("{}"), () => _ = model.Facts,
            () => model.RenderChat(new[] { ChatMessage.User("a") }), () => _ = engine.Memory, () => engine.CreateSession(),
            () => engine.Step(new[] { session }), () => engine.Embed("a"), () => _ = session.Position, () => session.Next(),
            () => session.Generate("a"), () => session.Prefill(new[] { 3 }), () => session.Logits(), () => session.Cancel(),
            () => session.Fork(), () => session.Save(), () => session.Reset(), () => session.Chat("a"),
            () => session.GenerateAsync("a"), () => _ = adapter.Info,
        };
        foreach (Action call in calls) Throws<ObjectDisposedException>(call, "Rondo.");
        True(model.IsDisposed);
        using Model open = Open();
        using Engine other = open.CreateEngine(new EngineOptions { Context = 64, AdapterRank = 4 });
        Throws<ObjectDisposedException>(() => other.CreateSession(new SessionOptions { Adapter = adapter }));
        Throws<ObjectDisposedException>(() => other.CreateSession(new SessionOptions { Grammar = grammar }));
    }

    public static void B43_AnyOrder()
    {
        Model model = Open();
        Engine engine = model.CreateEngine(Few);
        string text = Text(engine, Limit());
        Session session = engine.CreateSession(Limit());
        model.Dispose();
        Equal(text, Text(engine, Limit()));
        engine.Dispose();
        Equal(text, session.Generate(Prompt));
        session.Dispose();
    }

    public static void B44_Logits()
    {
        using Model model = Open();
        using Engine engine = model.CreateEngine(Few);
        float[] logits, copy;
        using (Session session = engine.CreateSession())
        {
            session.Prefill(model.Tokenize(Prompt));
            logits = session.Logits();
            copy = (float[])logits.Clone();
            Equal(2048, logits.Length);
            Equal(Array.IndexOf(logits, logits.Max()), session.Next().Token!.Value);
            session.Logits();
        }
        Same(copy, logits);
    }

    public static void B45_Collected()
    {
        using Model model = Open();
        for (int i = 0; i < 10; ++i) Drop(model);
        long before = Resident();
        for (int i = 0; i < 100; ++i) Drop(model);
        GC.Collect();
        GC.WaitForPendingFinalizers();
        long grown = Resident() - before;
        True(grown < 60 << 10, grown + " KB more");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Drop(Model model)
    {
        Session session = model.CreateEngine(new EngineOptions { Context = 512, MaxSessions = 4 }).CreateSession();
        session.Append(new[] { 3 });
    }

    private static long Resident() => long.Parse(File.ReadLines("/proc/self/status")
        .First(line => line.StartsWith("VmRSS")).Split(':')[1].Replace("kB", "").Trim());

    public static void B46_Copies()
    {
        Model model = Open(), same = model;
        Engine engine = model.CreateEngine(Few);
        same.Dispose();
        model.Dispose();
        Throws<ObjectDisposedException>(() => same.Tokenize("a"));
        Session session = engine.CreateSession(Limit());
        Plane plane = new Plane(new byte[12]), other = plane; // a copy of memory's address, which owns nothing
        Event one = session.Stream(Prompt).First(), two = one;
        session.Dispose();
        Equal(one.Text, two.Text);
        engine.Dispose();
    }

    public static void B47_Using()
    {
        Session outside;
        using (Model model = Open())
        using (Engine engine = model.CreateEngine(Few))
        {
            using (Session session = engine.CreateSession()) outside = session;
            Equal(0, engine.Stats.SessionsOpen);
        }
        Throws<ObjectDisposedException>(() => outside.Next());
    }

    public static void B48_Saved()
    {
        using Model model = Open();
        using Engine engine = model.CreateEngine(Few);
        using Session session = engine.CreateSession(Limit()), other = engine.CreateSession(Limit());
        session.Prefill(model.Tokenize(Prompt));
        byte[] saved = session.Save();
        string text = session.Generate();
        other.Restore(saved);
        Equal(text, other.Generate());
        saved[saved.Length - 1] ^= 1;
        Fails(Status.Corrupt, () => other.Restore(saved));
        Fails(Status.InvalidArgument, () => other.Restore(new byte[3]));
        Fails(Status.InvalidArgument, () => other.Restore(default));
    }

    public static void B49_ForkUndoReset()
    {
        using Model model = Open();
        using Engine engine = model.CreateEngine(Few);
        int[] ids = model.Tokenize(Prompt);
        using Session session = engine.CreateSession(Limit());
        session.Prefill(ids);
        Same(ids, session.Tokens);
        Equal((ids.Length, ids.Length), session.Progress);
        Equal((0L, 0L), session.Evicted);
        using Session fork = session.Fork(Limit());
        List<Event> events = session.Stream().ToList();
        string text = string.Concat(events);
        Equal(256L, session.Position + session.Remaining!.Value);
        Equal(text, fork.Generate());
        session.Undo(12);
        Equal((long)ids.Length, session.Position);
        session.Propose(events.Take(4).Select(one => one.Token!.Value).ToArray());
        Equal(text, session.Generate());
        session.Undo(12);
        session.Accept(events[0].Token!.Value);
        Same(events[0].Bytes.ToArray(), session.TakeEvent().Bytes.ToArray());
        session.Reset();
        Equal(0L, session.Position);
        Equal(text, session.Generate(Prompt));
        Fails(Status.InvalidArgument, () => session.Undo(1000));
        Throws<ArgumentOutOfRangeException>(() => session.Undo(-1), "n");
    }

    public static void B50_Step()
    {
        using Model model = Open();
        using Engine engine = model.CreateEngine(new EngineOptions { Context = 256, MaxSessions = 2, ProfileEvents = 1000 });
        string[] prompts = { Prompt, "Once upon a time" };
        string[] alone = prompts.Select(prompt => Text(engine, Limit(), prompt)).ToArray();
        Session[] both = prompts.Select(prompt => engine.CreateSession(Limit())).ToArray();
        for (int i = 0; i < 2; ++i) both[i].Append(model.Tokenize(prompts[i]));
        string[] texts = { "", "" };
        List<Session> running = both.ToList();
        while (running.Count > 0)
        {
            engine.Step(running);
            foreach (Session one in running.ToList())
            {
                Event got = one.TakeEvent();
                texts[Array.IndexOf(both, one)] += got.Text;
                if (got.Reason != Reason.None) running.Remove(one);
            }
        }
        Same(alone, texts);
        Equal(2, engine.Stats.SessionsOpen);
        Fails(Status.InvalidArgument, () => engine.Step(new[] { both[0], both[0] }));
        Throws<ArgumentNullException>(() => engine.Step(new Session[] { null! }), "sessions");
        long cursor = 0;
        List<string> names = new List<string>();
        for (ProfileEvent? one; (one = engine.Profile(ref cursor)) != null;) names.Add(one.Name);
        True(names.Contains("pass"));
        foreach (Session one in both) one.Dispose();
    }
}
