using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Rondo;
using static Support;

public static class CancelTests
{
    public static void B35_Cancel()
    {
        using Model model = Open();
        using Engine engine = model.CreateEngine(Slow);
        string text = Text(engine, Limit());
        using Session session = engine.CreateSession(Limit());
        int[] prompt = LongPrompt(model);
        Task call = Task.Run(() => session.Prefill(prompt));
        while (session.Progress.Done == 0) Thread.Yield();
        session.Cancel();
        Fails(Status.Cancelled, () => call.GetAwaiter().GetResult());
        Equal(text, session.Generate(Prompt));
    }

    /// <summary>A prompt whose call was cancelled is no part of the session.</summary>
    public static async Task B35_CancelledPrompts()
    {
        using Model model = Open();
        using Engine engine = model.CreateEngine(Few);
        string text = Text(engine, Limit());
        using Session session = engine.CreateSession(Limit());
        CancellationToken cancelled = new CancellationToken(true);
        Throws<OperationCanceledException>(() => session.Generate("Once", cancelled));
        Throws<OperationCanceledException>(() => session.Stream("Once", cancelled).First());
        try
        {
            await foreach (Event one in session.StreamAsync("Once", cancelled)) True(false);
        }
        catch (OperationCanceledException)
        {
            // As it should be.
        }
        Equal(0L, session.Position);
        Equal(text, session.Generate(Prompt));
    }

    public static void B36_CancelNamesItsCall()
    {
        using Model model = Open();
        using Engine engine = model.CreateEngine(Few);
        using Session session = engine.CreateSession(Limit()), other = engine.CreateSession(Limit());
        int[] ids = model.Tokenize(Prompt);
        long number = session.CallNumber;
        session.Prefill(ids);
        session.CancelCall(number); // it is over: nothing happens
        Equal(number + 1, session.CallNumber);
        session.CancelCall(number + 1); // it waits
        other.Prefill(ids);
        Fails(Status.Cancelled, () => session.Next());
        True(session.Next().Token != null);
        Fails(Status.InvalidArgument, () => session.CancelCall(number + 9));
        using CancellationTokenSource source = new CancellationTokenSource();
        session.Next(source.Token);
        source.Cancel(); // behind its call
        True(session.Next().Token != null);
    }

    public static async Task B37_CancellationToken()
    {
        using Model model = Open();
        using Engine engine = model.CreateEngine(Slow);
        using Session session = engine.CreateSession(Limit());
        int[] prompt = LongPrompt(model);
        async Task Cancelled(Func<CancellationToken, Task> call)
        {
            session.Reset();
            using CancellationTokenSource source = new CancellationTokenSource();
            long rows = engine.Stats.Rows;
            Task task = call(source.Token);
            while (engine.Stats.Rows == rows) await Task.Delay(1);
            source.Cancel();
            try
            {
                await task;
            }
            catch (OperationCanceledException error)
            {
                Equal(source.Token, error.CancellationToken);
                return;
            }
            throw new Exception("it was not cancelled");
        }
        await Cancelled(token => Task.Run(() => session.Prefill(prompt, token)));
        session.Reset();
        using (CancellationTokenSource brief = new CancellationTokenSource(20))
        {
            List<Event> events = new List<Event>();
            try
            {
                await foreach (Event one in session.StreamAsync(prompt, brief.Token)) events.Add(one);
                throw new Exception("it was not cancelled");
            }
            catch (OperationCanceledException)
            {
                Equal(0, events.Count);
            }
        }
        session.Reset();
        using (CancellationTokenSource brief = new CancellationTokenSource(20))
        {
            Throws<OperationCanceledException>(
                () => session.GenerateAsync(prompt, brief.Token).GetAwaiter().GetResult());
            Throws<OperationCanceledException>(() => session.Generate(Prompt, brief.Token)); // before it begins
            Throws<OperationCanceledException>(() => model.CreateEngine(Few, null, brief.Token));
        }
        session.Reset();
        session.Prefill(model.Tokenize(Prompt));
        True(session.Generate().Length > 0);
    }

    public static void B38_TwoCallsAtOnce()
    {
        using Model model = Open();
        using Engine engine = model.CreateEngine(Slow);
        using Session session = engine.CreateSession(Limit());
        Task call = Task.Run(() => session.Prefill(LongPrompt(model)));
        while (session.Progress.Done == 0) Thread.Yield();
        Fails(Status.Busy, () => session.Prefill(new[] { 3 }));
        session.Cancel();
        Fails(Status.Cancelled, () => call.GetAwaiter().GetResult());
    }

    public static void B39_Together()
    {
        using Model model = Open();
        using Engine engine = model.CreateEngine(new EngineOptions { Context = 256, MaxSessions = 4, NoPrefixCache = true });
        string text = Text(engine, Limit(60));
        long before = engine.Stats.Passes;
        Session[] sessions = Enumerable.Range(0, 4).Select(i => engine.CreateSession(Limit(60))).ToArray();
        ThreadPool.GetAvailableThreads(out int free, out int _);
        Task<string>[] tasks = sessions.Select(one => one.GenerateAsync(Prompt)).ToArray();
        ThreadPool.GetAvailableThreads(out int still, out int _);
        True(free - still < 3, $"{free - still} of the pool wait in calls");
        Task.WaitAll(tasks);
        foreach (Task<string> task in tasks) Equal(text, task.Result);
        long passes = engine.Stats.Passes - before;
        True(passes < 200, passes + " passes for four sessions of 60 tokens");
        foreach (Session session in sessions) session.Dispose();
    }

    public static void B40_CallbackThrows()
    {
        using Model model = Open();
        using Engine engine = model.CreateEngine(Few);
        using Session session = engine.CreateSession(Limit());
        Throws<TimeoutException>(() => session.PrefillLogits(new[] { 3, 4 }, (i, row) => throw new TimeoutException()));
        session.Reset();
        List<float[]> rows = new List<float[]>();
        session.PrefillLogits(model.Tokenize(Prompt), (i, row) => rows.Add(row));
        Same(session.Logits(), rows.Last());
        Throws<TimeoutException>(() => model.CreateEngine(Few, new Thrower()));
        True(session.Generate().Length > 0);
    }

    private sealed class Thrower : IProgress<(long Done, long Total)>
    {
        public void Report((long Done, long Total) value) => throw new TimeoutException();
    }

    public static void AlsoDisposeUnderACall()
    {
        using Model model = Open();
        using Engine engine = model.CreateEngine(Slow);
        Session session = engine.CreateSession(Limit());
        Task call = Task.Run(() => session.Prefill(LongPrompt(model)));
        while (session.Progress.Done == 0) Thread.Yield();
        session.Dispose();
        Fails(Status.Cancelled, () => call.GetAwaiter().GetResult());
        Throws<ObjectDisposedException>(() => session.Next());
    }
}
