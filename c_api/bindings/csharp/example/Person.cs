using System;
using System.Text.Json;
using Rondo;

/// <summary>JSON that a class reads: Person model.rondo</summary>
public static class Program
{
    // shown from here
    public sealed class Person
    {
        public string name { get; set; } = "";
        public int age { get; set; }
    }

    private const string Schema = @"{""type"": ""object"", ""properties"": {
        ""name"": {""type"": ""string"", ""maxLength"": 12}, ""age"": {""type"": ""integer"", ""minimum"": 0, ""maximum"": 130}},
        ""required"": [""name"", ""age""]}";

    public static void Main(string[] arguments)
    {
        using Model model = Model.Open(arguments[0]);
        using Engine engine = model.CreateEngine();
        using Session session = engine.CreateSession(new SessionOptions { JsonSchema = Schema });
        string json = session.Generate("A person:");
        Person person = JsonSerializer.Deserialize<Person>(json);
        Console.WriteLine($"{person.name}, {person.age}");
    }
    // shown to here
}
