using System;
using Rondo;

/// <summary>A model calls a function and answers with what it gave: Tools model.rondo</summary>
public static class Tools
{
    public static void Main(string[] arguments)
    {
        // shown from here
        string question = @"{""role"": ""user"", ""content"": ""How is the weather in Rome?""}";
        Chat chat = new Chat { Messages = "[" + question + "]", Tools = @"
            [{""type"": ""function"", ""function"": {""name"": ""weather"", ""parameters"": {
            ""type"": ""object"", ""properties"": {""city"": {""type"": ""string"", ""maxLength"": 30}},
            ""required"": [""city""], ""additionalProperties"": false}}}]" };
        using (Model model = Model.Open(arguments[0]))
        using (Engine engine = model.Engine(new EngineOptions { MaxSessions = 2 }))
        using (Grammar rules = model.RulesGrammar(model.ChatGrammar(chat, Calls.One), new GrammarOptions()))
        using (Session calling = engine.Session(new SessionOptions { Grammar = rules }))
        using (Session answering = engine.Session(new SessionOptions { MaxTokens = 64 }))
        {
            foreach (ChatPart part in calling.ChatParts(chat))
            {
                if (part.Kind != ChatPartKind.CallEnd) continue;
                chat.Messages = "[" + question + @", {""role"": ""assistant"", ""content"": """", ""tool_calls"": [{
                    ""type"": ""function"", ""function"": {""name"": """ + part.Name + @""",
                    ""arguments"": " + part.Arguments + @"}}]},
                    {""role"": ""tool"", ""content"": ""{\""sky\"": \""clear\""}""}]";
            }
            foreach (ChatPart part in answering.ChatParts(chat)) Console.Write(part.Text);
        }
        // shown to here
        Console.WriteLine();
    }
}
