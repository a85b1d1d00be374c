using System;
using System.Collections.Generic;
using System.Text;

namespace Rondo
{
    /// <summary>A piece of an answer.</summary>
    public readonly struct ChatPart
    {
        /// <summary>What it is. None: the end alone, which Reason tells.</summary>
        public ChatPartKind Kind { get; }

        /// <summary>Content, Thinking, Arguments: the next piece of it.</summary>
        public string Text { get; }

        /// <summary>Call, Arguments, CallEnd: the call's number, from 0.</summary>
        public long Call { get; }

        /// <summary>Call and CallEnd: of the function.</summary>
        public string Name { get; }

        /// <summary>Call and CallEnd: what the model gave the call; empty where it writes none.</summary>
        public string Id { get; }

        /// <summary>CallEnd: all of them, as JSON.</summary>
        public string Arguments { get; }

        /// <summary>Of the last part: why the answer ended. None: it goes on.</summary>
        public Reason Reason { get; }

        internal ChatPart(ChatPartKind kind, string text = "", long call = 0, string name = "", string id = "",
            string arguments = "", Reason reason = Reason.None)
        {
            (Kind, Text, Call, Name, Id) = (kind, text, call, name, id);
            (Arguments, Reason) = (arguments, reason);
        }

        internal ChatPart Ending(Reason reason) =>
            new ChatPart(Kind, Text, Call, Name, Id, Arguments, reason);
    }

    /// <summary>Takes an answer as it comes, cut anywhere, and hands out its parts. Made by
    /// Model.CreateChatParser. One call at a time.</summary>
    public sealed class ChatParser : NativeObject
    {
        private string name = "", id = "";
        private readonly StringBuilder arguments = new StringBuilder();

        internal ChatParser(IntPtr handle) : base(new Handle(handle, Raw.rondo_chat_parser_close)) { }

        /// <summary>Gives the answer's next bytes, those of events; last: there are no more behind
        /// them.</summary>
        public void Push(ReadOnlySpan<byte> bytes, bool last = false)
        {
            byte[] copy = bytes.ToArray();
            Native.Check(With(parser => Raw.rondo_chat_parser_push(
                parser, copy, Native.Size(copy.Length), last ? 1 : 0)));
        }

        /// <summary>What was not handed out yet, as far as it is known what it is.</summary>
        public IReadOnlyList<ChatPart> Parts() => With(parser =>
        {
            List<ChatPart> parts = new List<ChatPart>();
            Raw.ChatPart raw = new Raw.ChatPart { struct_size = Native.SizeOf<Raw.ChatPart>() };
            for (; ; )
            {
                Native.Check(Raw.rondo_chat_parser_next(parser, ref raw));
                if (raw.kind == (int)ChatPartKind.None) return parts;
                parts.Add(Told(raw));
            }
        });

        private ChatPart Told(Raw.ChatPart raw)
        {
            ChatPartKind kind = (ChatPartKind)raw.kind;
            string text = TextOf(raw.text, raw.text_bytes);
            long call = (long)raw.call;
            switch (kind)
            {
                case ChatPartKind.Call:
                    name = TextOf(raw.name, raw.name_bytes);
                    id = TextOf(raw.id, raw.id_bytes);
                    arguments.Clear();
                    return new ChatPart(kind, text, call, name, id);
                case ChatPartKind.CallEnd:
                    return new ChatPart(kind, text, call, name, id, arguments.ToString());
                case ChatPartKind.Arguments:
                    arguments.Append(text);
                    break;
            }
            return new ChatPart(kind, text, call);
        }

        private static string TextOf(IntPtr start, UIntPtr count) =>
            Encoding.UTF8.GetString(Native.Bytes(start, count));

        /// <summary>As it was made, for another answer.</summary>
        public void Reset() => Native.Check(With(Raw.rondo_chat_parser_reset));

        /// <summary>What an event of the answer brings; the last part has the reason.</summary>
        internal IEnumerable<ChatPart> Take(Event one)
        {
            bool ends = one.Reason != Reason.None;
            ReadOnlySpan<byte> said = one.Reason == Reason.Eos ? default : one.Bytes.Span;
            if (one.Reason == Reason.StopString) // of the token that completes it, what is before it
            {
                ReadOnlySpan<byte> before = Encoding.UTF8.GetBytes(one.Text);
                said = said.StartsWith(before) ? before : default;
            }
            Push(said, ends);
            List<ChatPart> parts = new List<ChatPart>(Parts());
            if (!ends) return parts;
            if (parts.Count == 0) parts.Add(new ChatPart(ChatPartKind.None));
            parts[parts.Count - 1] = parts[parts.Count - 1].Ending(one.Reason);
            return parts;
        }
    }
}
