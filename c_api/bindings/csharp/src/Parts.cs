using System;
using System.Collections.Generic;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Rondo
{
    /// <summary>A piece of an answer.</summary>
    public struct ChatPart
    {
        public ChatPartKind Kind;
        /// <summary>Content, Thinking, Arguments: the next piece of it.</summary>
        public string Text;
        /// <summary>Call, Arguments, CallEnd: the call's number, from 0.</summary>
        public ulong Call;
        /// <summary>Call and CallEnd: of the function, and what the model gave the call for an id; empty
        /// where it writes none.</summary>
        public string Name, Id;
        /// <summary>CallEnd: all of them, as JSON.</summary>
        public string Arguments;
    }

    /// <summary>Takes an answer as it comes, cut anywhere, and hands out its parts. Made by
    /// Model.ChatParser. One call at a time.</summary>
    public sealed class ChatParser : Handle
    {
        private string name = "", id = "";
        private readonly StringBuilder arguments = new StringBuilder();

        internal ChatParser(IntPtr handle) : base(handle) { }

        protected override bool ReleaseHandle()
        {
            Raw.rondo_chat_parser_close(handle);
            return true;
        }

        /// <summary>Gives the answer's next bytes, those of events; last: there are no more behind
        /// them.</summary>
        public void Push(byte[] bytes, bool last = false)
        {
            Native.Check(With(parser => Raw.rondo_chat_parser_push(
                parser, bytes, (UIntPtr)(uint)bytes.Length, last ? 1 : 0)));
        }

        /// <summary>What was not handed out yet, as far as it is known what it is.</summary>
        public IList<ChatPart> Parts()
        {
            List<ChatPart> parts = new List<ChatPart>();
            return With(parser =>
            {
                Raw.ChatPart raw = new Raw.ChatPart { struct_size = Native.SizeOf<Raw.ChatPart>() };
                for (;;)
                {
                    Native.Check(Raw.rondo_chat_parser_next(parser, ref raw));
                    if (raw.kind == (int)ChatPartKind.None) return parts;
                    parts.Add(Told(raw));
                }
            });
        }

        private ChatPart Told(Raw.ChatPart raw)
        {
            ChatPartKind kind = (ChatPartKind)raw.kind;
            string text = TextOf(raw.text, raw.text_bytes);
            bool begins = kind == ChatPartKind.Call, ends = kind == ChatPartKind.CallEnd;
            if (begins)
            {
                name = TextOf(raw.name, raw.name_bytes);
                id = TextOf(raw.id, raw.id_bytes);
                arguments.Clear();
            }
            else if (kind == ChatPartKind.Arguments)
            {
                arguments.Append(text);
            }
            return new ChatPart
            {
                Kind = kind,
                Text = text,
                Call = raw.call,
                Name = begins || ends ? name : "",
                Id = begins || ends ? id : "",
                Arguments = ends ? arguments.ToString() : ""
            };
        }

        private static string TextOf(IntPtr start, UIntPtr count)
        {
            return Encoding.UTF8.GetString(Native.Bytes(start, count));
        }

        /// <summary>As it was made, for another answer.</summary>
        public void Reset()
        {
            Native.Check(With(Raw.rondo_chat_parser_reset));
        }

        /// <summary>What an event of the answer brings.</summary>
        internal IList<ChatPart> Take(Event one)
        {
            Push(one.Reason == Reason.Eos ? new byte[0] : one.Bytes, one.Reason != Reason.None);
            return Parts();
        }
    }

    /// <summary>What Session.ChatPartsAsync gives.</summary>
    internal sealed class PartStream : IAsyncEnumerable<ChatPart>
    {
        private readonly ChatParser parser;
        private readonly IAsyncEnumerable<Event> events;

        internal PartStream(ChatParser parser, IAsyncEnumerable<Event> events)
        {
            this.parser = parser;
            this.events = events;
        }

        public IAsyncEnumerator<ChatPart> GetAsyncEnumerator(CancellationToken cancellation)
        {
            return new Walk(parser, events.GetAsyncEnumerator(cancellation));
        }

        private sealed class Walk : IAsyncEnumerator<ChatPart>
        {
            private readonly ChatParser parser;
            private readonly IAsyncEnumerator<Event> events;
            private readonly Queue<ChatPart> parts = new Queue<ChatPart>();

            internal Walk(ChatParser parser, IAsyncEnumerator<Event> events)
            {
                this.parser = parser;
                this.events = events;
            }

            public ChatPart Current { get; private set; }

            public ValueTask<bool> MoveNextAsync()
            {
                return new ValueTask<bool>(Move());
            }

            private async Task<bool> Move()
            {
                while (parts.Count == 0)
                {
                    if (!await events.MoveNextAsync()) return false;
                    foreach (ChatPart part in parser.Take(events.Current)) parts.Enqueue(part);
                }
                Current = parts.Dequeue();
                return true;
            }

            public ValueTask DisposeAsync()
            {
                parser.Dispose();
                return events.DisposeAsync();
            }
        }
    }
}
