using System;
using System.IO;
using System.Linq;
using System.Text;
using Rondo;

/// <summary>Answers a question about a picture: Picture model.rondo photo.ppm</summary>
public static class Picture
{
    /// <summary>A PPM file of 8 bits; what decodes JPEG gives such bytes, too.</summary>
    private static byte[] ReadPpm(string path, out int width, out int height)
    {
        byte[] file = File.ReadAllBytes(path);
        // "P6", the sizes and "255" stand in front, each with a space or a line's end behind it.
        int pixels = 0;
        for (int parts = 0; parts < 4 && pixels < file.Length; ++pixels)
        {
            if (file[pixels] <= ' ') ++parts;
        }
        string[] head = Encoding.ASCII.GetString(file, 0, pixels).Split();
        if (head[0] != "P6" || head[3] != "255")
        {
            throw new InvalidDataException(path + " is no PPM file of 8 bits");
        }
        width = int.Parse(head[1]);
        height = int.Parse(head[2]);
        return file.Skip(pixels).ToArray();
    }

    public static void Main(string[] arguments)
    {
        byte[] rgb = ReadPpm(arguments[1], out int width, out int height);
        // shown from here
        using Model model = Model.Open(arguments[0]);
        using Engine engine = model.CreateEngine(
            new EngineOptions { MaxMediaRows = model.ImagePlan(width, height).Rows });
        using Media media = engine.CreateMedia(new Image(Pixels.Rgb8, width, height, rgb));
        using Session session = engine.CreateSession(new SessionOptions { MaxTokens = 64 });
        ChatMessage[] messages = { ChatMessage.User("What is in the picture?", images: 1) };
        Console.Write(session.Chat(messages, new ChatOptions { Media = new[] { media } }));
        // shown to here
        Console.WriteLine();
    }
}
