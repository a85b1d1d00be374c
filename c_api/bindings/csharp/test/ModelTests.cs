using System;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Rondo;
using static Support;

public static class ModelTests
{
    public static async Task B31_Embed()
    {
        Model model = Open("EMBEDDER");
        EmbedderFacts facts = model.Embedder;
        Equal("192 100 False Mean", $"{facts.Dimensions} {facts.MaxTokens} {facts.ScoresPairs} {facts.Pooling}");
        Equal(2, model.Prompts.Count);
        Fails(Status.InvalidArgument, () => model.Detokenize(new[] { 1 << 20 }), "no token of the model");
        Equal("Query: Grüße", model.EmbeddingText("Grüße"));
        Equal("Grüße", model.EmbeddingText("Grüße", "document"));
        string[] texts = { "Once upon a time", "there was", "a girl who liked to play" };
        int[][] ids = texts.Select(text => model.Tokenize(model.EmbeddingText(text))).ToArray();
        using Engine engine = model.CreateEngine(new EngineOptions { Context = 128, MaxSessions = 2 });
        model.Dispose(); // the engine goes on
        float[][] vectors = engine.Embed(texts);
        Equal(3, vectors.Length);
        using Session a = engine.CreateSession();
        for (int i = 0; i < 3; ++i)
        {
            Equal(192, vectors[i].Length);
            True(Math.Abs(vectors[i].Sum(x => x * x) - 1) < 1e-5);
            Same(vectors[i], engine.Embed(texts[i])); // with the one place that is left
            Same(vectors[i], a.Embed(ids[i]));
            float Near(float[] other) => other.Zip(vectors[i], (x, y) => x * y).Sum();
            Equal(i, Enumerable.Range(0, 3).OrderByDescending(j => Near(vectors[j])).First());
        }
        Same(vectors[0], (await engine.EmbedAsync(texts))[0]);
        Equal(8, engine.Embed(texts, dimensions: 8)[2].Length);
        Equal(0, engine.Embed(new string[0]).Length);
        Fails(Status.InvalidArgument, () => engine.Embed(texts, "none"), "no prompt named 'none'");
        Fails(Status.Unsupported, () => engine.Score("a", texts), "scores no pairs");
        Fails(Status.InvalidArgument, () => engine.Embed(texts, dimensions: 193));
        Throws<ArgumentOutOfRangeException>(() => engine.Embed(texts, dimensions: 0), "dimensions");
        Throws<ArgumentNullException>(() => engine.Embed(new string[] { null! }), "text");
        Fails(Status.ContextFull, () => a.Embed(new int[101]), "100");
        Fails(Status.InvalidArgument, () => engine.Embed(new[] { a }, new[] { ids[0], new int[0] }), "text 1 has no tokens");
        Fails(Status.Unsupported, () => a.Prefill(ids[0]));
        using Session b = engine.CreateSession();
        Fails(Status.Busy, () => engine.Embed(texts)); // no place is left
        using Model predicts = Open();
        using Engine other = predicts.CreateEngine(Few);
        Fails(Status.Unsupported, () => other.Embed(texts), "makes no vectors of texts");
        using Session session = other.CreateSession();
        Fails(Status.Unsupported, () => session.Embed(ids[0]));
    }

    public static async Task B32_Score()
    {
        using Model model = Open("SCORER");
        using Engine engine = model.CreateEngine(new EngineOptions { MaxSessions = 2 });
        True(model.Embedder.ScoresPairs);
        string[] documents = { "a hill", "the sea", "her mom" };
        float[] scores = engine.Score("Where?", documents);
        True(scores.All(score => score > 0 && score < 1));
        Equal(3, scores.Distinct().Count());
        using Session session = engine.CreateSession();
        Equal(scores[2], session.Embed(model.Tokenize(model.PairText("Where?", "her mom")))[0]);
        session.Dispose();
        Same(scores, await engine.ScoreAsync("Where?", documents));
        True(engine.Score("Where?", documents, "Find it")[0] != scores[0]);
        Throws<ArgumentNullException>(() => engine.Score(null!, documents), "query");
    }

    public static void B33_SeesAsTheProgram()
    {
        byte[] file = File.ReadAllBytes(Beside("picture.rgba"));
        using Model model = Open("SEEING");
        using Engine engine = model.CreateEngine(new EngineOptions { MaxMediaRows = model.ImagePlan(40, 24).Rows });
        using Media media = engine.CreateMedia(new Image(Pixels.Rgba8, 40, 24, file));
        using Session session = engine.CreateSession(Limit(64));
        ChatReply reply = session.Chat(new[] { ChatMessage.User("What is in the picture?", 1) },
            new ChatOptions { Media = new[] { media } });
        Equal(File.ReadAllText(Beside("picture.txt")).TrimEnd('\n'), reply.Text.TrimEnd('\n'));
        Fails(Status.InvalidArgument, () => session.Chat(new[] { ChatMessage.User("What?", 1) })); // without it
    }

    public static void B34_Adapter()
    {
        using Model model = Open();
        Adapter adapter = model.OpenAdapter(PathOf("ADAPTER"));
        Equal(4, adapter.Info.Rank);
        SessionOptions adapted = new SessionOptions { MaxTokens = 12, Adapter = adapter };
        using Engine engine = model.CreateEngine(new EngineOptions { Context = 256, MaxSessions = 3, AdapterRank = 4 });
        using Session with = engine.CreateSession(adapted);
        adapter.Dispose(); // the session goes on
        with.Prefill(model.Tokenize(Prompt));
        using Session fork = with.Fork(Limit());
        string text = with.Generate();
        True(text != Text(engine, Limit()));
        Equal(text, fork.Generate());
        Fails(Status.NotAModel, () => model.OpenAdapter(PathOf("MODEL")), "it is a model");
        using Adapter again = model.OpenAdapter(PathOf("ADAPTER"));
        using Engine narrow = model.CreateEngine(Few);
        Fails(Status.InvalidArgument,
            () => narrow.CreateSession(new SessionOptions { Adapter = again }), "AdapterRank is 0");
    }

    public static void AlsoInputs()
    {
        using Model model = Open();
        int n = model.Info.HiddenSize;
        int[] ids = model.Tokenize(Prompt);
        using Engine engine = model.CreateEngine(new EngineOptions { Context = 256, MaxInputRows = 8 });
        using Session session = engine.CreateSession();
        Input text = new Input(ids), rows = new Input(new float[2 * n]);
        Input halves = new Input(new ushort[3 * n]) { Coordinates = new[] { 0, 0, 0, 0, 0, 1, 0, 1, 0 }, SeesWhole = true };
        session.AppendInputs(new[] { text, rows, halves });
        Same(ids.Concat(Enumerable.Repeat(-1, 5)), session.Tokens);
        Equal(2048, session.Logits().Length);
        Input[] refused = { new Input(new float[2 * n - 1]), new Input(new float[0]), new Input(new ushort[1]),
            new Input(new float[9 * n]) { Coordinates = new[] { 0, 0, 0 } } };
        foreach (Input one in refused) Throws<ArgumentException>(() => session.AppendInputs(new[] { text, one }), "rows have");
        Fails(Status.InvalidArgument, () => session.AppendInputs(new[] { new Input(new float[9 * n]) }), "MaxInputRows is 8");
        Fails(Status.InvalidArgument, () => session.AppendInputs(new Input[0]), "0 inputs");
        Throws<ArgumentNullException>(() => session.AppendInputs(new Input[] { null! }), "inputs");
        Throws<ArgumentNullException>(() => new Input((float[])null!), "rows");
    }
}
