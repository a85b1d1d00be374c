// Continues a text: Generate model.rondo "Once upon a time"
// shown from here
using System;
using Rondo;

public static class Generate
{
    public static void Main(string[] arguments)
    {
        using Model model = Model.Open(arguments[0]);
        using Engine engine = model.CreateEngine();
        using Session session = engine.CreateSession(new SessionOptions { MaxTokens = 64 });
        foreach (Event one in session.Stream(arguments[1])) Console.Write(one.Text);
        Console.WriteLine();
    }
}
// shown to here
