using System;
using System.Linq;
using Rondo;

/// <summary>Which text is nearest to a question: Search embedder.rondo "question" "text"...</summary>
public static class Search
{
    public static void Main(string[] arguments)
    {
        string question = arguments[1];
        string[] texts = arguments.Skip(2).ToArray();
        // shown from here
        using Model model = Model.Open(arguments[0]);
        using Engine engine = model.CreateEngine(new EngineOptions { MaxSessions = 2 });
        float[] asked = engine.Embed(question, prompt: "query");
        float[][] found = engine.Embed(texts, prompt: "document");
        float Similar(int i) => found[i].Zip(asked, (x, y) => x * y).Sum();
        Console.WriteLine(texts[Enumerable.Range(0, texts.Length).OrderByDescending(Similar).First()]);
        // shown to here
    }
}
