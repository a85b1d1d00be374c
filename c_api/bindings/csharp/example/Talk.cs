using System;
using System.Threading;
using System.Threading.Tasks;
using Rondo;

/// <summary>Answers as text comes, until Ctrl-C: Talk model.rondo "How are you?"</summary>
public static class Talk
{
    public static async Task Main(string[] arguments)
    {
        // shown from here
        using CancellationTokenSource stop = new CancellationTokenSource();
        Console.CancelKeyPress += (sender, pressed) => { stop.Cancel(); pressed.Cancel = true; };
        using Model model = Model.Open(arguments[0]);
        using Engine engine = model.CreateEngine();
        using Session session = engine.CreateSession(new SessionOptions { MaxTokens = 64 });
        ChatMessage[] messages = { ChatMessage.System("You are kind."), ChatMessage.User(arguments[1]) };
        try
        {
            await foreach (ChatPart part in session.ChatStreamAsync(messages, cancellation: stop.Token))
            {
                Console.Write(part.Text);
            }
        }
        catch (OperationCanceledException)
        {
            Console.Write(" (stopped)");
        }
        // shown to here
        Console.WriteLine();
    }
}
