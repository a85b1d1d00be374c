using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.Loader;
using System.Text;
using Rondo;
using static Support;

public static class LoadingTests
{
    public static void B01_Versions()
    {
        Equal(Library.Version, Library.PackageVersion);
        True(Library.Version.Split('.').Length == 3);
        Equal(Library.AbiVersion, (int)Library.Query("abi.version"));
    }

    /// <summary>In a process of its own, as this one has the library.</summary>
    public static void B02_MissingLibrary()
    {
        if (Environment.GetEnvironmentVariable("RONDO_TEST_MISSING") != null)
        {
            DllNotFoundException error = Throws<DllNotFoundException>(() => Open(), "librondo.so was not found");
            True(error.Message.Contains("/absent/librondo.so"), error.Message);
            True(error.Message.Contains("install") && error.Message.Contains("RONDO_LIBRARY"), error.Message);
            return;
        }
        ProcessStartInfo start = new ProcessStartInfo(
            Process.GetCurrentProcess().MainModule!.FileName!, $"{typeof(LoadingTests).Assembly.Location} B02");
        start.Environment["RONDO_LIBRARY"] = "/absent/librondo.so";
        start.Environment["RONDO_TEST_MISSING"] = "1";
        using Process process = Process.Start(start)!;
        process.WaitForExit();
        Equal(0, process.ExitCode);
    }

    public static void B03_LoadedTwice()
    {
        using Model model = Open();
        string file = typeof(Model).Assembly.Location;
        Assembly second = new AssemblyLoadContext("second", true).LoadFromAssemblyPath(file);
        Type type = second.GetType("Rondo.Model")!;
        True(type != typeof(Model));
        using IDisposable other = (IDisposable)type.GetMethod("Open")!.Invoke(null, new object[] { PathOf("MODEL") })!;
        object ids = type.GetMethod("Tokenize")!.Invoke(other, new object[] { Prompt, Enum.ToObject(
            second.GetType("Rondo.TokenizeFlags")!, 1) })!;
        Same(model.Tokenize(Prompt), (int[])ids);
    }

    public static void B04_Facts()
    {
        using Model model = Open();
        Equal("2048 512 4", $"{model.Info.VocabSize} {model.Info.ContextLength} {model.Info.NLayers}");
        Equal("LlamaForCausalLM", model.Facts["architecture"]);
        Equal("LlamaForCausalLM", model.Fact("architecture"));
        Same(new[] { 1 }, model.EosTokens);
        Equal(0, model.ChatTemplates.Count);
        Fails(Status.InvalidArgument, () => model.Fact("absent"));
    }

    public static void B05_AbsentFile() => Fails(Status.IoError, () => Model.Open("absent.rondo"), "absent.rondo");

    public static void B06_NoModel()
    {
        string path = Path.GetTempFileName();
        File.WriteAllText(path, new string('x', 1000));
        Fails(Status.NotAModel, () => Model.Open(path));
        File.Delete(path);
    }

    /// <summary>What the compiler does not refuse already: Refused.cs.</summary>
    public static void B07_PathIsNoText()
    {
        Throws<ArgumentNullException>(() => Model.Open(null!), "path");
        Throws<ArgumentException>(() => Model.Open("a\0b"), "zero");
    }

    public static void B08_TextsAndTokens()
    {
        using Model model = Open();
        foreach (string text in new[] { "Grüße 🙂 日本\0x", "", new string('x', 3000) })
        {
            Equal(text, model.Detokenize(model.Tokenize(text, TokenizeFlags.None)));
        }
        Equal(Prompt, model.Detokenize(model.Tokenize(Prompt), DetokenizeFlags.SkipSpecial));
        Throws<ArgumentNullException>(() => model.Tokenize(null!), "text");
        Equal("\ufffd", model.Detokenize(model.Tokenize("\ud800", TokenizeFlags.None))); // half of a letter
    }

    public static void B09_Plan()
    {
        using Model model = Open();
        using Engine engine = model.CreateEngine(Few);
        MemoryPlan plan = model.Plan(Few);
        Equal(plan.ArenaBytes, engine.Memory.ArenaBytes);
        var regions = model.PlanRegions(Few);
        Equal(plan.NRegions, regions.Count);
        Same(regions.Select(one => one.Name + one.Bytes + one.Segment), engine.MemoryRegions.Select(
            one => one.Name + one.Bytes + one.Segment));
    }

    public static void B10_PlanFit()
    {
        using Model model = Open();
        long room = model.Plan(Few).ArenaBytes;
        int context = model.PlanFit(room, Few);
        True(context >= 256);
        EngineOptions answer = new EngineOptions { Context = context, MaxSessions = 4 };
        True(model.Plan(answer).ArenaBytes <= room);
        Fails(Status.ArenaTooSmall, () => model.PlanFit(1000));
        Throws<ArgumentOutOfRangeException>(() => model.PlanFit(-1), "size");
    }
}

/// <summary>With a library of tomorrow, which tells constants that this version does not know.</summary>
public static class Newer
{
    public static int Run()
    {
        using Model model = Open();
        Fails((Status)1000, () => Library.Query("of tomorrow"));
        using (Engine engine = model.CreateEngine(Few))
        using (Session session = engine.CreateSession(Limit(4)))
        {
            Equal("0:0 0:0 0:0 1000:1000", string.Join(" ",
                session.Stream("Once").Select(one => (int)one.Reason + ":" + (int)one.Channel)));
        }
        using Model calling = Open("CALLING");
        using ChatParser parser = calling.CreateChatParser(new ChatMessage[0]);
        parser.Push(Encoding.UTF8.GetBytes("hi"), true);
        ChatPart part = parser.Parts().Single();
        Equal("1000 hi", (int)part.Kind + " " + part.Text);
        Console.WriteLine("newer: passed");
        return 0;
    }
}
