using System;
using System.Linq;
using Rondo;

/// <summary>A model calls a function and answers with what it gave: Tools model.rondo</summary>
public static class Tools
{
    public static void Main(string[] arguments)
    {
        // shown from here
        ChatMessage question = ChatMessage.User("How is the weather in Rome?");
        ChatOptions options = new ChatOptions { Tools = @"
            [{""type"": ""function"", ""function"": {""name"": ""weather"", ""parameters"": {
            ""type"": ""object"", ""properties"": {""city"": {""type"": ""string"", ""maxLength"": 30}},
            ""required"": [""city""], ""additionalProperties"": false}}}]" };
        using Model model = Model.Open(arguments[0]);
        using Engine engine = model.CreateEngine(new EngineOptions { MaxSessions = 2 });
        using Grammar oneCall = model.CreateChatGrammar(new[] { question }, options, Calls.One);
        using Session calling = engine.CreateSession(new SessionOptions { Grammar = oneCall });
        using Session answering = engine.CreateSession(new SessionOptions { MaxTokens = 64 });
        ChatReply reply = calling.Chat(new[] { question }, options);
        Console.WriteLine($"{reply.Calls.Single().Name}({reply.Calls.Single().Arguments})");
        ChatMessage[] messages = { question, ChatMessage.Assistant(reply), ChatMessage.Tool(@"{""sky"": ""clear""}") };
        Console.WriteLine(answering.Chat(messages, options));
        // shown to here
    }
}
