using System;
using Rondo;

/// <summary>Continues a text: Generate model.rondo "Once upon a time"</summary>
public static class Generate
{
    public static void Main(string[] arguments)
    {
        using (Model model = Model.Open(arguments[0]))
        using (Engine engine = model.Engine(new EngineOptions()))
        using (Session session = engine.Session(new SessionOptions { MaxTokens = 64 }))
        {
            session.Prefill(model.Tokenize(arguments[1]));
            foreach (Event one in session.Stream()) Console.Write(one.Text);
            Console.WriteLine();
        }
    }
}
