using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.RegularExpressions;
using System.Threading;
using System.Threading.Tasks;
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

    private static async Task Walk(IAsyncEnumerable<Event> stream, List<Event> events)
    {
        IAsyncEnumerator<Event> walk = stream.GetAsyncEnumerator();
        try
        {
            while (await walk.MoveNextAsync()) events.Add(walk.Current);
        }
        finally
        {
            await walk.DisposeAsync();
        }
    }

    private static string TextOf(IAsyncEnumerable<Event> stream)
    {
        List<Event> events = new List<Event>();
        Walk(stream, events).Wait();
        return string.Concat(events.Select(one => one.Text));
    }

    /// <summary>Whether a token that is cancelled in the middle of a long prompt ends that call, so
    /// that no event comes.</summary>
    private static bool EndsThePrompt(Session session, int[] prompt)
    {
        session.Reset();
        session.Append(prompt);
        CancellationTokenSource source = new CancellationTokenSource();
        List<Event> events = new List<Event>();
        Task walk = Walk(session.StreamAsync(source.Token), events);
        while (session.Progress.Item1 == 0 && !walk.IsCompleted) Thread.Yield();
        source.Cancel();
        try
        {
            walk.Wait();
            return false;
        }
        catch (AggregateException error)
        {
            Equal(true, error.InnerException is OperationCanceledException);
        }
        return events.Count == 0;
    }

    /// <summary>With a library of tomorrow, which tells constants that this version does not
    /// know.</summary>
    private static void NewerLibrary(Model model)
    {
        Fails((Status)1000, "", () => Library.Query("of tomorrow"));
        using (Engine engine = model.Engine(new EngineOptions { Context = 256 }))
        using (Session session = engine.Session(new SessionOptions { MaxTokens = 4 }))
        {
            session.Prefill(model.Tokenize("Once"));
            Equal("0:0 0:0 0:0 1000:1000", string.Join(" ",
                session.Stream().Select(one => (int)one.Reason + ":" + (int)one.Channel)));
        }
        using (Model calling = Model.Open(Environment.GetEnvironmentVariable("RONDO_TEST_CALLING")))
        using (ChatParser parser = calling.ChatParser(new Chat { Messages = "[]" }))
        {
            parser.Push(System.Text.Encoding.UTF8.GetBytes("hi"), true);
            ChatPart part = parser.Parts().Single();
            Equal("1000 hi", (int)part.Kind + " " + part.Text);
        }
    }

    private static string Path(string name)
    {
        return Environment.GetEnvironmentVariable("RONDO_TEST_" + name);
    }

    private static void Disposed(Action call)
    {
        try
        {
            call();
        }
        catch (ObjectDisposedException)
        {
            return;
        }
        throw new Exception("it should be disposed");
    }

    private static void Inputs(Model model, Engine none, int[] ids)
    {
        int n = (int)model.Info.HiddenSize;
        float[] zeros = new float[9 * n];
        Input rows = new Input(new float[2 * n]);
        Input halves = new Input(new ushort[3 * n])
            { Coordinates = new[] { 0, 0, 0, 0, 0, 1, 0, 1, 0 }, SeesWhole = true };
        using (Session session = none.Session(new SessionOptions()))
        {
            Fails(Status.InvalidArgument, "max_input_rows is 0",
                () => session.AppendInputs(new[] { rows }));
        }
        using (Engine engine = model.Engine(new EngineOptions { Context = 256, MaxInputRows = 8 }))
        using (Session session = engine.Session(new SessionOptions()))
        {
            Input text = new Input(ids);
            session.AppendInputs(new[] { text, rows, halves });
            Equal(true, session.Tokens.SequenceEqual(ids.Concat(Enumerable.Repeat(-1, 5))));
            Equal(2048, session.Logits().Length);
            session.AppendInputs(new[] { new Input(new[] { 3 }) });
            Equal(true, session.Next().Token >= 0);
            Input[] refused = { new Input(new float[2 * n - 1]), new Input(new float[0]),
                new Input(new ushort[1]), new Input(zeros) { Coordinates = new[] { 0, 0, 0 } } };
            foreach (Input one in refused)
            {
                try
                {
                    session.AppendInputs(new[] { text, one });
                    throw new Exception("it should be refused");
                }
                catch (ArgumentException error)
                {
                    Equal(true, error.Message.Contains("rows have"));
                }
            }
            Input[] many = { text, new Input(zeros) };
            Input[] whole = { new Input(ids) { SeesWhole = true } };
            Input[] empty = { new Input(new int[0]) };
            Fails(Status.InvalidArgument, "max_input_rows is 8", () => session.AppendInputs(many));
            Fails(Status.InvalidArgument, "sees_whole", () => session.AppendInputs(whole));
            Fails(Status.InvalidArgument, "no tokens", () => session.AppendInputs(empty));
            Fails(Status.InvalidArgument, "0 inputs", () => session.AppendInputs(new Input[0]));
            Equal((ulong)ids.Length + 7, session.Position);
        }
    }

    private static byte[] PixelsOf(int count)
    {
        return Enumerable.Range(0, count).Select(i => (byte)(i * 37 % 251)).ToArray();
    }

    /// <summary>A model that does not see.</summary>
    private static void Blindness(Model model, Engine engine, int[] ids)
    {
        Equal(-1, model.Info.PictureToken);
        Fails(Status.Unsupported, "reads texts alone", () => model.ImagePlan(640, 480));
        Image image = new Image(Pixels.Rgb8, 2, 2, PixelsOf(12));
        Fails(Status.Unsupported, "max_media_rows is 0", () => engine.Media(image));
        Refused("plane 0 of the image has 12 bytes",
            () => engine.Media(new Image(Pixels.Rgb8, 2, 2, new Plane(PixelsOf(12), 7))));
        using (Session session = engine.Session(new SessionOptions()))
        {
            session.AppendMedia(ids);
            Equal((ulong)ids.Length, session.Position);
        }
    }

    private static void Refused(string words, Action call)
    {
        try
        {
            call();
        }
        catch (ArgumentException error)
        {
            Equal(true, error.Message.Contains(words));
            return;
        }
        throw new Exception("it should be refused: " + words);
    }

    private static void Seeing(Model model)
    {
        EngineOptions options =
            new EngineOptions { Context = 256, MaxSessions = 2, MaxMediaRows = 100 };
        int[] ids = model.Tokenize("See <image> here", 0);
        Equal(model.Info.PictureToken, model.Tokenize("<image>", 0).Single());
        ImageFacts plan = model.ImagePlan(5, 7);
        Equal(true, plan.TileColumns > 1 && plan.Positions > plan.Rows);
        Equal(true, model.ImagePlan(5, 7, new ImageOptions { OneTile = true }).Rows < plan.Rows);
        Fails(Status.Unsupported, "min_tokens",
            () => model.ImagePlan(5, 7, new ImageOptions { MinTokens = 3 }));
        Image picture = new Image(Pixels.Rgb8, 5, 7, PixelsOf(5 * 7 * 3));
        using (Engine engine = model.Engine(options))
        using (Engine other = model.Engine(options))
        using (Session session = engine.Session(new SessionOptions { MaxTokens = 4 }))
        {
            Media media = engine.Media(picture);
            Equal(plan.Rows, media.Info.Rows);
            Equal(plan.Positions, media.Info.Positions);
            session.AppendMedia(ids, media);
            Equal((ulong)ids.Length - 1 + plan.Positions, session.Position);
            session.Generate();
            Fails(Status.InvalidArgument, "", () => session.AppendMedia(ids));
            session.Reset();
            session.AppendMedia(ids.Concat(ids).ToArray(), media, media);
            media.Dispose(); // the session goes on
            session.Generate();
            Disposed(() => session.AppendMedia(ids, media));
            Disposed(() => Equal(plan.Rows, media.Info.Rows));
            using (Media foreign = other.Media(picture))
            {
                Fails(Status.InvalidArgument, "another engine",
                    () => session.AppendMedia(ids, foreign));
            }
            session.Dispose();
            Images(engine, ids);
            CancellationTokenSource source = new CancellationTokenSource();
            Image gray = new Image(Pixels.Gray8, 64, 64, PixelsOf(64 * 64));
            engine.Media(gray, null, source.Token).Dispose();
            source.Cancel();
            try
            {
                engine.Media(gray, null, source.Token);
                throw new Exception("it should be cancelled");
            }
            catch (OperationCanceledException)
            {
            }
            byte[] large = PixelsOf(2000 * 2000);
            int attempts = 0;
            while (!EndsTheEncoding(engine, large))
            {
                Equal(true, ++attempts < 100);
                large[0] = (byte)attempts; // else it is there already
            }
        }
    }

    /// <summary>Whether a token that is cancelled while a large picture is encoded ends that.</summary>
    private static bool EndsTheEncoding(Engine engine, byte[] pixels)
    {
        using (CancellationTokenSource source = new CancellationTokenSource(1))
        {
            try
            {
                engine.Media(new Image(Pixels.Gray8, 2000, 2000, pixels), null, source.Token).Dispose();
                return false;
            }
            catch (OperationCanceledException error)
            {
                return error.InnerException is RondoException; // else it did not begin
            }
        }
    }

    private static void Images(Engine engine, int[] ids)
    {
        Func<Image, float[]> see = image =>
        {
            using (Media media = engine.Media(image))
            using (Session session = engine.Session(new SessionOptions()))
            {
                session.AppendMedia(ids, media);
                return session.Logits();
            }
        };
        Action<Image, float[], bool> compare =
            (image, seen, alike) => Equal(alike, see(image).SequenceEqual(seen));
        byte[] rgb = PixelsOf(9 * 7 * 3);
        float[] plain = see(new Image(Pixels.Rgb8, 9, 7, rgb));
        byte[] bgra = Enumerable.Range(0, 9 * 7 * 4)
            .Select(i => i % 4 == 3 ? (byte)99 : rgb[i / 4 * 3 + 2 - i % 4]).ToArray();
        compare(new Image(Pixels.Bgra8, 9, 7, bgra), plain, true);
        // In rows that lie apart, of which the last ends with its pixels; in an array and beside it.
        byte[] apart = new byte[3 + 6 * 32 + 27];
        for (int row = 0; row < 7; ++row) Array.Copy(rgb, row * 27, apart, 3 + row * 32, 27);
        Plane part = new Plane(new ArraySegment<byte>(apart, 3, apart.Length - 3), 32);
        compare(new Image(Pixels.Rgb8, 9, 7, part), plain, true);
        IntPtr native = System.Runtime.InteropServices.Marshal.AllocHGlobal(apart.Length);
        System.Runtime.InteropServices.Marshal.Copy(apart, 0, native, apart.Length);
        part = new Plane(IntPtr.Add(native, 3), apart.Length - 3, 32);
        compare(new Image(Pixels.Rgb8, 9, 7, part), plain, true);
        System.Runtime.InteropServices.Marshal.FreeHGlobal(native);
        byte[] back = Enumerable.Range(0, rgb.Length)
            .Select(i => rgb[rgb.Length - 3 - i / 3 * 3 + i % 3]).ToArray();
        compare(new Image(Pixels.Rgb8, 9, 7, back), plain, false);
        compare(new Image(Pixels.Rgb8, 9, 7, back) { Rotation = 180 }, plain, true);
        compare(new Image(Pixels.Rgb8, 9, 7, back) { Rotation = 180, Mirror = true }, plain, false);

        byte[] y = PixelsOf(63), u = PixelsOf(20), v = u.Select(one => (byte)(200 - one)).ToArray();
        byte[] uv = Enumerable.Range(0, 40).Select(i => (i % 2 == 0 ? u : v)[i / 2]).ToArray();
        float[] frame = see(new Image(Pixels.I420, 9, 7, y, u, v));
        compare(new Image(Pixels.Nv12, 9, 7, y, uv), frame, true);
        compare(new Image(Pixels.Nv21, 9, 7, y, uv), frame, false);
        compare(new Image(Pixels.Nv12, 9, 7, y, uv) { Range = YuvRange.Full }, frame, false);
        compare(new Image(Pixels.Nv12, 9, 7, y, uv) { Matrix = YuvMatrix.Bt709 }, frame, false);

        byte[] less = rgb.Skip(1).ToArray(), fewer = uv.Skip(1).ToArray();
        Refused("plane 0", () => see(new Image(Pixels.Rgb8, 9, 7, less)));
        Refused("plane 0", () => see(new Image(Pixels.Rgb8, 9, 7)));
        Refused("plane 0", () => see(new Image(Pixels.Rgb8, -1, 7, rgb)));
        Refused("plane 1", () => see(new Image(Pixels.Nv12, 9, 7, y, fewer)));
        Refused("plane 2", () => see(new Image(Pixels.I420, 9, 7, y, u)));
        Refused("plane 0", () => see(new Image(Pixels.Rgb8, 9, 7, new Plane(rgb, 28))));
        Refused("stride of -27", () => see(new Image(Pixels.Rgb8, 9, 7, new Plane(rgb, -27))));
        Fails(Status.InvalidArgument, "stride of 26",
            () => see(new Image(Pixels.Rgb8, 9, 7, new Plane(rgb, 26))));
        Fails(Status.InvalidArgument, "no format", () => see(new Image((Pixels)7, 9, 7, rgb)));
        Fails(Status.InvalidArgument, "45",
            () => see(new Image(Pixels.Rgb8, 9, 7, rgb) { Rotation = 45 }));
        Fails(Status.InvalidArgument, "0 x 0", () => see(new Image(Pixels.Rgb8, 0, 0)));
    }

    private static void Adapters(Model model, int[] ids)
    {
        Adapter adapter = model.Adapter(Path("ADAPTER"));
        Equal(4u, adapter.Info.Rank);
        SessionOptions adapted = new SessionOptions { MaxTokens = 12, Adapter = adapter };
        SessionOptions plain = new SessionOptions { MaxTokens = 12 };
        using (Engine narrow = model.Engine(new EngineOptions { Context = 256 }))
        {
            Fails(Status.InvalidArgument, "adapter_rank is 0", () => narrow.Session(adapted));
        }
        using (Engine engine = model.Engine(
            new EngineOptions { Context = 256, MaxSessions = 3, AdapterRank = 4 }))
        using (Session without = engine.Session(plain))
        using (Session with = engine.Session(adapted))
        {
            adapter.Dispose(); // the session goes on
            with.Prefill(ids);
            without.Prefill(ids);
            using (Session fork = with.Fork(plain))
            {
                string text = with.Generate();
                Equal(false, text == without.Generate());
                Equal(text, fork.Generate());
            }
            Disposed(() => engine.Session(adapted));
        }
        Fails(Status.NotAModel, "it is a model", () => model.Adapter(Path("MODEL")));
    }

    private static void Embedding(Model predicts)
    {
        Model model = Model.Open(Path("EMBEDDER"));
        EmbedderFacts facts = model.Embedder;
        Equal("192 100 0", facts.Dimensions + " " + facts.MaxTokens + " " + facts.ScoresPairs);
        Equal(Pooling.Mean, (Pooling)facts.Pooling);
        Equal(2, model.Prompts.Count);
        Equal("Query: Grüße", model.EmbeddingText("Grüße"));
        Equal("Grüße", model.EmbeddingText("Grüße", "document"));
        Equal("", model.EmbeddingText("", ""));
        Fails(Status.InvalidArgument, "", () => model.EmbeddingText("a", "none"));
        Fails(Status.Unsupported, "", () => model.PairText("a", "b"));
        int[][] texts = new[] { "Once upon a time", "there was", "a girl who liked to play" }
            .Select(text => model.Tokenize(model.EmbeddingText(text))).ToArray();
        using (Engine engine = model.Engine(new EngineOptions { Context = 128, MaxSessions = 2 }))
        using (Session a = engine.Session(new SessionOptions()))
        using (Session b = engine.Session(new SessionOptions()))
        {
            Session[] both = { a, b };
            model.Dispose(); // the engine goes on
            float[][] vectors = engine.Embed(both, texts);
            Equal(3, vectors.Length);
            for (int i = 0; i < 3; ++i)
            {
                Equal(192, vectors[i].Length);
                Equal(true, Math.Abs(vectors[i].Sum(x => x * x) - 1) < 1e-5);
                Equal(true, vectors[i].SequenceEqual(a.Embed(texts[i])));
            }
            Equal(0ul, a.Position);
            float[] few = b.Embed(texts[0], 8);
            Equal(8, few.Length);
            Equal(true, few.SequenceEqual(engine.Embed(both, texts, 8)[0]));
            Equal(0, engine.Embed(both, new int[0][]).Length);
            Fails(Status.InvalidArgument, "text 1 has no tokens",
                () => engine.Embed(both, new[] { texts[0], new int[0] }));
            Fails(Status.InvalidArgument, "twice", () => engine.Embed(new[] { a, a }, texts));
            Fails(Status.InvalidArgument, "0 sessions", () => engine.Embed(new Session[0], texts));
            Fails(Status.InvalidArgument, "", () => a.Embed(texts[0], 193));
            Fails(Status.InvalidArgument, "", () => a.Embed(texts[0], -1));
            Fails(Status.ContextFull, "100", () => a.Embed(new int[101]));
            Fails(Status.Unsupported, "", () => a.Prefill(texts[0]));
        }
        Equal(0u, predicts.Embedder.Dimensions);
        Fails(Status.Unsupported, "", () => predicts.EmbeddingText("a"));
        using (Engine engine = predicts.Engine(new EngineOptions()))
        using (Session session = engine.Session(new SessionOptions()))
        {
            Fails(Status.Unsupported, "predicts tokens", () => session.Embed(texts[0]));
            Fails(Status.Unsupported, "predicts tokens", () => engine.Embed(new[] { session }, texts));
        }
    }

    private static void Scores()
    {
        using (Model model = Model.Open(Path("SCORER")))
        using (Engine engine = model.Engine(new EngineOptions { MaxSessions = 2 }))
        using (Session a = engine.Session(new SessionOptions()))
        using (Session b = engine.Session(new SessionOptions()))
        {
            Equal(1u, model.Embedder.ScoresPairs);
            string pair = model.PairText("Grüße?", "a hill", "Find it");
            Equal(true, new[] { "Find it", "Grüße?", "a hill" }.All(pair.Contains));
            Equal(false, model.PairText("Grüße?", "a hill").Contains("Find it"));
            Fails(Status.Unsupported, "", () => model.EmbeddingText("a"));
            int[][] texts = new[] { "a hill", "the sea", "her mom" }
                .Select(document => model.Tokenize(model.PairText("Where?", document))).ToArray();
            float[][] scores = engine.Embed(new[] { a, b }, texts);
            Equal(true, scores.All(score => score.Length == 1 && score[0] > 0 && score[0] < 1));
            Equal(3, scores.Select(score => score[0]).Distinct().Count());
            Equal(scores[2][0], b.Embed(texts[2])[0]);
        }
    }

    private const string Person = "{\"type\":\"object\",\"properties\":{"
        + "\"name\":{\"type\":\"string\",\"maxLength\":12},"
        + "\"age\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":130}},"
        + "\"required\":[\"name\",\"age\"]}";

    /// <summary>All that Person allows with one space.</summary>
    private static void IsPerson(string text)
    {
        Match person = Regex.Match(text, "^\\{\"name\": \"([^\"\\\\\\x00-\\x1f]|\\\\[^u]|\\\\u....){0,12}\""
            + ", \"age\": (-?[0-9]{1,3})\\}$");
        Equal(true, person.Success);
        int age = int.Parse(person.Groups[2].Value);
        Equal(true, age >= 0 && age <= 130);
    }

    private static string TextOf(Session session, int[] ids)
    {
        using (session)
        {
            session.Prefill(ids);
            List<Event> events = session.Stream().ToList();
            Reason reason = events.Last().Reason;
            Equal(true, reason == Reason.Grammar || reason == Reason.Eos);
            return string.Concat(events.Select(one => one.Text));
        }
    }

    private static void Grammars(Model model, Engine engine, int[] ids)
    {
        Func<Grammar, string, Session> warm = (grammar, schema) => engine.Session(new SessionOptions
            { Temperature = 1, Seed = 7, Grammar = grammar, JsonSchema = schema });
        GrammarOptions none = new GrammarOptions(), dense = new GrammarOptions { NoSpaces = true };
        string said = TextOf(warm(null, Person), ids);
        IsPerson(said);
        Session session, fork;
        GrammarOptions usual = new GrammarOptions { OneSpace = true, NamedOnly = true };
        using (Grammar grammar = model.Grammar(Person, usual))
        using (Grammar letters = model.PatternGrammar("[ab]{4}c", none))
        {
            session = warm(grammar, null);
            fork = session.Fork(new SessionOptions { Grammar = letters });
            try
            {
                warm(grammar, Person);
                throw new Exception("two grammars should be refused");
            }
            catch (ArgumentException) { }
        }
        Equal(said, TextOf(session, ids)); // the sessions go on
        Equal(true, Regex.IsMatch(TextOf(fork, ids), "^[ab]{4}c$"));
        string ones = "{\"type\":\"array\",\"items\":{\"enum\":[1]},\"minItems\":2,\"maxItems\":2}";
        using (Grammar grammar = model.Grammar(ones, dense)) Equal("[1,1]", TextOf(warm(grammar, null), ids));
        string both = "{\"type\":\"object\",\"properties\":{\"a\":{\"enum\":[1]},\"b\":{\"enum\":[2]}},"
            + "\"required\":[\"a\",\"b\"],\"additionalProperties\":false}";
        using (Grammar grammar = model.Grammar(both, dense))
        {
            Equal("{\"a\":1,\"b\":2}", TextOf(warm(grammar, null), ids));
        }
        dense.AnyOrder = true;
        using (Grammar grammar = model.Grammar(both, dense))
        {
            Equal("{\"b\":2,\"a\":1}", TextOf(warm(grammar, null), ids));
        }

        string refused = "{\"properties\":{\"a\":{\"uniqueItems\":true}}}";
        string pointer = "#/properties/a/uniqueItems";
        Fails(Status.Unsupported, pointer, () => model.Grammar(refused, none));
        Fails(Status.Unsupported, pointer, () => warm(null, refused));

        GrammarOptions few = new GrammarOptions { MemoryBytes = 1 << 20 };
        ulong small = model.PlanGrammar(Person, few);
        Equal(true, small > 0 && small < model.PlanGrammar(Person, none));
        Equal(small, model.PlanPatternGrammar("a", few));
    }

    private static void RulesAndThoughts(Model model, Engine engine, int[] ids)
    {
        GrammarOptions none = new GrammarOptions();
        Func<SessionOptions, string> textWith = options =>
        {
            using (Session session = engine.Session(options))
            {
                session.Prefill(ids);
                return session.Generate();
            }
        };
        string sky = "root ::= \"sky\" | \"sea\"";
        using (Grammar rules = model.RulesGrammar(sky, none))
        {
            Equal(true, Regex.IsMatch(textWith(new SessionOptions { Grammar = rules }), "^(sky|sea)$"));
        }
        Equal(true, model.PlanRulesGrammar(sky, none) > 0);
        Event first;
        using (Session session = engine.Session(new SessionOptions()))
        {
            session.Prefill(ids);
            first = session.Next();
        }
        using (Grammar letters = model.PatternGrammar("[ab]{3}", none))
        {
            SessionOptions behind = new SessionOptions { MaxTokens = 16, Grammar = letters,
                GrammarBegin = GrammarBegin.AfterToken, GrammarToken = first.Token };
            string whole = textWith(behind);
            Equal(true, Regex.IsMatch(whole, "^" + Regex.Escape(first.Text) + "[ab]{3}$"));
            behind.GrammarGoesOn = true;
            string more = textWith(behind);
            Equal(true, more.StartsWith(whole) && more.Length > whole.Length);
        }

        Func<SessionOptions, List<Channel>> channels = options =>
        {
            options.MaxTokens = 32;
            options.Temperature = 1;
            options.Seed = 3;
            using (Session session = engine.Session(options))
            {
                session.Prefill(model.Tokenize("Lily saw her mom"));
                return session.Stream().Select(one => one.Channel).ToList();
            }
        };
        Equal(true, channels(new SessionOptions()).All(one => one == Channel.Text));
        SessionOptions words =
            new SessionOptions { Thinking = true, ThinkingBegin = " mom", ThinkingEnd = " day.\n" };
        Equal(Channel.Thinking, channels(words)[0]);
        words.ThinkingTokens = 1;
        int thought = channels(words).IndexOf(Channel.Text);
        Equal(true, thought > 0 && thought < 8);
        Fails(Status.Unsupported, "chat template",
            () => channels(new SessionOptions { Thinking = true }));
    }

    private static string TextOf(IEnumerable<ChatPart> parts, ChatPartKind kind)
    {
        return string.Concat(parts.Where(part => part.Kind == kind).Select(part => part.Text));
    }

    private static async Task Walk(IAsyncEnumerable<ChatPart> stream, List<ChatPart> parts)
    {
        IAsyncEnumerator<ChatPart> walk = stream.GetAsyncEnumerator();
        while (await walk.MoveNextAsync()) parts.Add(walk.Current);
        await walk.DisposeAsync();
    }

    /// <summary>With a model whose template knows functions and thoughts.</summary>
    private static void Answers(Model model, Model without)
    {
        Chat chat = new Chat
        {
            Messages = "[{\"role\": \"user\", \"content\": \"How is the weather?\"}]",
            Tools = "[{\"type\": \"function\", \"function\": {\"name\": \"weather\", \"parameters\": {"
                + "\"type\": \"object\", \"properties\": {\"city\": {\"enum\": [\"Rome\", \"Oslo\"]}},"
                + "\"required\": [\"city\"], \"additionalProperties\": false}}}]"
        };
        string answer = "<think>\nso\n</think>\n\nGrüße<tool_call>\n"
            + "{\"name\": \"weather\", \"arguments\": {\"city\": \"Rome\"}}\n</tool_call>";
        using (ChatParser parser = model.ChatParser(chat))
        {
            for (int i = 0; i < 2; ++i)
            {
                List<ChatPart> parts = new List<ChatPart>();
                foreach (byte one in System.Text.Encoding.UTF8.GetBytes(answer))
                {
                    parser.Push(new[] { one });
                    parts.AddRange(parser.Parts());
                }
                parser.Push(new byte[0], true);
                parts.AddRange(parser.Parts());
                Equal("so", TextOf(parts, ChatPartKind.Thinking));
                Equal("Grüße", TextOf(parts, ChatPartKind.Content));
                ChatPart call = parts.First(part => part.Kind == ChatPartKind.Call), end = parts.Last();
                Equal("weather, , ", call.Name + ", " + call.Id + ", " + call.Arguments);
                Equal(ChatPartKind.CallEnd, end.Kind);
                Equal("weather, {\"city\": \"Rome\"}", end.Name + ", " + end.Arguments);
                Equal(end.Arguments, TextOf(parts, ChatPartKind.Arguments));
                Fails(Status.InvalidArgument, "", () => parser.Push(new byte[] { 65 }));
                parser.Reset();
            }
        }
        Fails(Status.Unsupported, "", () => without.ChatParser(new Chat
            { Messages = chat.Messages, Tools = chat.Tools, Template = "{{ messages[0].content }}" }));

        string rules = model.ChatGrammar(chat, Calls.One, "weather");
        using (Engine engine = model.Engine(new EngineOptions { Context = 256, MaxSessions = 4 }))
        using (Grammar grammar = model.RulesGrammar(rules, new GrammarOptions()))
        using (Grammar begun = model.PatternGrammar("<tool_ca", new GrammarOptions()))
        using (Session undecided = engine.Session(new SessionOptions { Grammar = begun }))
        using (Session silent = engine.Session(new SessionOptions { LogitBias = { { 1, 1e9f } } }))
        using (Session calling = engine.Session(new SessionOptions { Grammar = grammar }))
        using (Session free = engine.Session(new SessionOptions { MaxTokens = 12 }))
        {
            List<ChatPart> parts = calling.ChatParts(chat).ToList(), again = new List<ChatPart>();
            Equal(ChatPartKind.Call, parts[0].Kind);
            Equal(ChatPartKind.CallEnd, parts.Last().Kind);
            Equal(true, Regex.IsMatch(
                parts.Last().Arguments, "^\\{\\s*\"city\"\\s*:\\s*\"(Rome|Oslo)\"\\s*\\}$"));
            Walk(calling.ChatPartsAsync(chat), again).Wait();
            Equal(true, parts.SequenceEqual(again));
            // What looks like a call to its end, and what ends at once: the end is no content.
            Equal("<tool_ca", TextOf(undecided.ChatParts(chat), ChatPartKind.Content));
            Equal(0, silent.ChatParts(chat).Count());
            Chat plain = new Chat { Messages = chat.Messages };
            Equal(true, free.ChatParts(plain).All(part => part.Kind == ChatPartKind.Content));
        }
        Fails(Status.InvalidArgument, "absent", () => model.ChatGrammar(chat, Calls.Auto, "absent"));
        Tuple<string, string> around = model.ChatThinking(chat);
        Equal("<think> </think>", around.Item1.Trim() + " " + around.Item2.Trim());

        Chat said = new Chat { Messages = "[{\"role\": \"user\", \"content\": \"<|pad|>\"}]" };
        Equal(0, model.ChatIds(said).Count(id => id == 2));
        Equal(1, model.ChatIds(said).Count(id => id == 1)); // the template's own
        said.PlainContent = false;
        Equal(1, model.ChatIds(said).Count(id => id == 2));
    }

    private static void Cpus(Model model)
    {
        string state = System.IO.File.ReadAllText("/proc/self/status");
        uint cpu = uint.Parse(Regex.Match(state, "Cpus_allowed_list:\\s*([0-9]+)").Groups[1].Value);
        EngineOptions one = new EngineOptions { Context = 64, Cpus = new[] { cpu } };
        Equal(1u, model.Plan(one).Threads);
        one.Threads = 2;
        using (Engine pinned = model.Engine(one)) Equal(2u, pinned.Memory.Threads);
        Fails(Status.InvalidArgument, "1023", () => model.Engine(
            new EngineOptions { Affinity = Affinity.Cpus, Cpus = new[] { 1023u } }));
    }

    public static void Main(string[] arguments)
    {
        Model model = Model.Open(Environment.GetEnvironmentVariable("RONDO_TEST_MODEL"));
        if (arguments.Length > 0)
        {
            NewerLibrary(model);
            return;
        }
        EngineOptions options = new EngineOptions { Context = 256, MaxSessions = 4 };
        SessionOptions limit = new SessionOptions { MaxTokens = 12 };
        Engine engine = model.Engine(options);
        Equal(2048u, model.Info.VocabSize);
        Equal("LlamaForCausalLM", model.Fact("architecture"));
        Equal(engine.Memory.ArenaBytes, model.Plan(options).ArenaBytes);
        Equal(true, model.PlanFit(engine.Memory.ArenaBytes, options) >= 256);
        int[] ids = model.Tokenize("Today's weather is so");
        Equal("Today's weather is so", model.Detokenize(ids, DetokenizeFlags.SkipSpecial));

        Equal(1, model.EosTokens.Single());
        Equal("LlamaForCausalLM", model.Facts["architecture"]);
        Equal(0, model.ChatTemplates.Count);
        Equal(Library.AbiVersion, (uint)Library.Query("abi.version"));
        Equal(true, Library.Version.Contains("."));
        MemoryRegion[] regions = model.PlanRegions(options);
        Equal(engine.Memory.NRegions, (uint)regions.Length);
        Equal(regions[1].Bytes, engine.MemoryRegions[1].Bytes);

        Session session = engine.Session(limit);
        List<float[]> rows = new List<float[]>();
        session.PrefillLogits(ids, (i, row) =>
        {
            Equal(rows.Count, i);
            rows.Add(row);
        });
        Equal(ids.Length, rows.Count);
        try
        {
            session.PrefillLogits(new[] { 3 }, (i, row) => { throw new TimeoutException(); });
            throw new Exception("what a row throws should come through");
        }
        catch (TimeoutException) { }
        session.Reset();
        Equal(Tuple.Create(0ul, 0ul), session.Evicted);
        session.Prefill(ids);
        Equal(true, ids.SequenceEqual(session.Tokens));
        Equal(Tuple.Create((ulong)ids.Length, (ulong)ids.Length), session.Progress);
        Equal((ulong)(2 * ids.Length + 1), session.Stats.TokensPrefilled);
        float[] logits = session.Logits();
        Equal(true, logits.SequenceEqual(rows.Last()));
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
        ulong number = session.CallNumber;
        session.Prefill(ids);
        session.CancelCall(number); // it is over: nothing happens
        Equal(number + 1, session.CallNumber);
        session.CancelCall(number + 1);
        Fails(Status.Cancelled, "", () => session.Next());
        Fails(Status.InvalidArgument, "", () => session.CancelCall(number + 3));
        session.Reset();
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

        // What was generated before is right where it is proposed, and generated all the same.
        session.Reset();
        session.Prefill(ids);
        session.Propose(events.Skip(1).Take(4).Select(one => one.Token).ToArray());
        Equal(text, session.Generate());
        using (Engine recording = model.Engine(
            new EngineOptions { Context = 256, ProfileEvents = 1000, DutyPercent = 90 }))
        using (Session recorded = recording.Session(limit))
        {
            recorded.Prefill(ids);
            ulong cursor = 0;
            List<string> names = new List<string>();
            for (ProfileEvent one; (one = recording.Profile(ref cursor)) != null;) names.Add(one.Name);
            Equal(true, names.Contains("pass"));
            Equal((ulong)names.Count, cursor);
        }

        Session other = engine.Session(
            new SessionOptions { LogitBias = { { events[0].Token, -1e9f } } });
        other.Prefill(ids);
        Equal(false, other.Next().Token == events[0].Token);

        Model makers = Model.Open(Environment.GetEnvironmentVariable("RONDO_TEST_RECOMMENDING"));
        using (Engine sampling = makers.Engine(options))
        {
            makers.Dispose(); // in any order
            Func<SessionOptions, string> textWith = said =>
            {
                said.MaxTokens = 12;
                using (Session one = sampling.Session(said))
                {
                    one.Prefill(ids);
                    return one.Generate();
                }
            };
            string recommended = textWith(new SessionOptions());
            Equal(false, text == recommended);
            Equal(recommended, textWith(new SessionOptions { Temperature = 1.5f, TopK = 50 }));
            Equal(" lovely and bright. Lily ran down the ",
                textWith(new SessionOptions { Temperature = 0 }));
            Equal(text, textWith(new SessionOptions { Recommended = false }));
            using (Session greedy = sampling.Session(new SessionOptions { Recommended = false }))
            {
                greedy.Prefill(ids);
                using (Session sampled = greedy.Fork(limit)) Equal(recommended, sampled.Generate());
            }
        }

        using (Engine grammars = model.Engine(options))
        {
            Grammars(model, grammars, ids);
            RulesAndThoughts(model, grammars, ids);
        }
        using (Model calling = Model.Open(Environment.GetEnvironmentVariable("RONDO_TEST_CALLING")))
        {
            Answers(calling, model);
        }
        Cpus(model);
        Adapters(model, ids);
        Inputs(model, engine, ids);
        Blindness(model, engine, ids);
        using (Model seeing = Model.Open(Path("SEEING"))) Seeing(seeing);
        Embedding(model);
        Scores();

        Chat chat = new Chat { Messages = "[{\"role\": \"user\", \"content\": \"Grüße\"}]" };
        Fails(Status.Unsupported, "", () => model.RenderChat(chat));
        chat.Template = "{{ messages[0].content }}{{ tail }}";
        chat.Variables = "{\"tail\": \"!\"}";
        Equal("Grüße!", model.RenderChat(chat));
        Equal(true, model.ChatIds(chat).SequenceEqual(model.Tokenize("Grüße!", 0)));
        fork.Reset();
        fork.Prefill(model.ChatIds(chat));
        string answer = fork.Generate();
        Equal(answer, string.Concat(session.Chat(chat).Select(one => one.Text)));
        Equal(answer, TextOf(session.ChatAsync(chat)));
        // So slow that whoever cancels has its turn on a busy machine, too.
        using (Engine slow = model.Engine(new EngineOptions { Context = 2000, MaxRows = 1 }))
        using (Session cancelled = slow.Session(limit))
        {
            int[] prompt = Enumerable.Repeat(ids, 2000 / ids.Length).SelectMany(some => some).ToArray();
            int attempts = 0;
            while (!EndsThePrompt(cancelled, prompt)) Equal(true, ++attempts < 100);
            cancelled.Reset(); // it can be used again
            cancelled.Prefill(ids);
            Equal(text, cancelled.Generate());
        }

        Fails(Status.IoError, "absent.rondo", () => Model.Open("absent.rondo"));
        Fails(Status.InvalidArgument, "2048", () => session.Prefill(new[] { 2048 }));
        Fails(Status.ContextFull, "", () => session.Prefill(new int[257]));
        model.Dispose(); // in any order
        engine.Dispose();
        session.Dispose();
        Console.WriteLine("1 passed, 0 failed");
    }
}
