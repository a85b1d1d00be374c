using Rondo;

// What the compiler refuses, line by line, so that it never comes to a call: b07, b11, b12, b28.
public static class Refused
{
    public static void Run(Model model, Session session)
    {
        Model.Open(5); // refused: b07
        _ = new EngineOptions { MaxSesions = 2 }; // refused: b11
        _ = new EngineOptions { MaxSessions = "2" }; // refused: b12
        _ = new EngineOptions { MaxSessions = 1.5 }; // refused: b12
        _ = new EngineOptions { MaxSessions = 4294967808 }; // refused: b13
        _ = new EngineOptions { Kernels = 3 }; // refused: b12
        _ = new SessionOptions { Stop = "mom" }; // refused: b22
        _ = new SessionOptions { Temprature = 1 }; // refused: b11
        session.Chat("Hello", new ChatOptions { Toools = "[]" }); // refused: b28
        session.Generate(5); // refused: b12
    }
}
