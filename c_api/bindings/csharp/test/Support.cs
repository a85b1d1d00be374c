using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Rondo;

/// <summary>What tests expect, and the tiny models that they use.</summary>
public static class Support
{
    public const string Prompt = "Today's weather is so";
    public static readonly EngineOptions Few = new EngineOptions { Context = 256, MaxSessions = 4 };

    public static string PathOf(string name) => Environment.GetEnvironmentVariable("RONDO_TEST_" + name)!;

    public static Model Open(string name = "MODEL") => Model.Open(PathOf(name));

    public static string Beside(string file) =>
        Path.Combine(Path.GetDirectoryName(PathOf("MODEL"))!, file);

    public static SessionOptions Limit(int tokens = 12) => new SessionOptions { MaxTokens = tokens };

    public static void Equal<T>(T expected, T actual)
    {
        if (!EqualityComparer<T>.Default.Equals(expected, actual))
        {
            throw new Exception($"expected {expected}, got {actual}");
        }
    }

    public static void Same<T>(IEnumerable<T> expected, IEnumerable<T> actual) =>
        Equal(string.Join(" ", expected), string.Join(" ", actual));

    public static void True(bool condition, string what = "it should be true")
    {
        if (!condition) throw new Exception(what);
    }

    /// <summary>What the call throws, which must be this.</summary>
    public static T Throws<T>(Action call, string words = "") where T : Exception
    {
        try
        {
            call();
        }
        catch (T error) when (error.Message.Contains(words))
        {
            return error;
        }
        catch (Exception error)
        {
            throw new Exception($"expected {typeof(T).Name} with '{words}', got {error}");
        }
        throw new Exception($"expected {typeof(T).Name}");
    }

    public static void Fails(Status status, Action call, string words = "") =>
        Equal(status, Throws<RondoException>(call, words).Status);

    /// <summary>A generation with the tiny model by itself.</summary>
    public static string Text(Engine engine, SessionOptions options, string prompt = Prompt)
    {
        using Session session = engine.CreateSession(options);
        return session.Generate(prompt);
    }

    /// <summary>A prompt that takes an engine of one row a pass a while.</summary>
    public static int[] LongPrompt(Model model) =>
        Enumerable.Repeat(model.Tokenize(Prompt), 200).SelectMany(ids => ids).Take(1900).ToArray();

    public static readonly EngineOptions Slow = new EngineOptions { Context = 2000, MaxRows = 1, MaxSessions = 2 };
}
