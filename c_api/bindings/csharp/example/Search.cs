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
        using (Model model = Model.Open(arguments[0]))
        using (Engine engine = model.Engine(new EngineOptions { MaxSessions = 2 }))
        using (Session a = engine.Session(new SessionOptions()))
        using (Session b = engine.Session(new SessionOptions()))
        {
            Func<string, string, int[]> read =
                (text, prompt) => model.Tokenize(model.EmbeddingText(text, prompt));
            float[] asked = a.Embed(read(question, "query"));
            float[][] found = engine.Embed(
                new[] { a, b }, texts.Select(text => read(text, "document")).ToArray());
            Func<int, float> similar = i => found[i].Zip(asked, (x, y) => x * y).Sum();
            Console.WriteLine(texts[Enumerable.Range(0, texts.Length).OrderByDescending(similar).First()]);
        }
        // shown to here
    }
}
