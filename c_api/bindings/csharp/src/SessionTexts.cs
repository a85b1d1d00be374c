using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Rondo
{
    /// <summary>Texts, streams and conversations. Streams generate as they are walked, and no token
    /// ahead.</summary>
    public sealed partial class Session
    {
        private readonly Worker worker = new Worker();
        private object? newest; // the generation that was begun last: an older one is over

        /// <summary>Goes on with a text: the rest of it, up to the end of the generation.</summary>
        public string Generate(string prompt, CancellationToken cancellation = default) =>
            TextOf(Walk(Given(prompt), cancellation));

        /// <summary>The same of a prompt as ids.</summary>
        public string Generate(ReadOnlySpan<int> prompt, CancellationToken cancellation = default) =>
            TextOf(Walk(Given(prompt), cancellation));

        /// <summary>Goes on with what the session has.</summary>
        public string Generate(CancellationToken cancellation = default) => TextOf(Walk(null, cancellation));

        /// <summary>As Generate, event by event, up to the one with the reason. Where another generation of this
        /// session has begun since, it is Busy.</summary>
        public IEnumerable<Event> Stream(string prompt, CancellationToken cancellation = default) =>
            Walk(Given(prompt), cancellation);

        /// <summary>The same of a prompt as ids.</summary>
        public IEnumerable<Event> Stream(ReadOnlySpan<int> prompt, CancellationToken cancellation = default) =>
            Walk(Given(prompt), cancellation);

        /// <summary>Goes on with what the session has.</summary>
        public IEnumerable<Event> Stream(CancellationToken cancellation = default) => Walk(null, cancellation);

        /// <summary>As Generate, on a thread of the session's own. A token that is cancelled ends this call, and
        /// no other.</summary>
        public Task<string> GenerateAsync(string prompt, CancellationToken cancellation = default)
        {
            Func<int[]> ids = Given(prompt);
            return worker.Run(() => TextOf(Walk(ids, cancellation)));
        }

        /// <summary>The same of a prompt as ids.</summary>
        public Task<string> GenerateAsync(ReadOnlySpan<int> prompt, CancellationToken cancellation = default)
        {
            Func<int[]> ids = Given(prompt);
            return worker.Run(() => TextOf(Walk(ids, cancellation)));
        }

        /// <summary>Goes on with what the session has.</summary>
        public Task<string> GenerateAsync(CancellationToken cancellation = default) =>
            worker.Run(() => TextOf(Walk(null, cancellation)));

        /// <summary>As Stream, on a thread of the session's own.</summary>
        public IAsyncEnumerable<Event> StreamAsync(string prompt, CancellationToken cancellation = default) =>
            WalkAsync(Given(prompt), cancellation);

        /// <summary>The same of a prompt as ids.</summary>
        public IAsyncEnumerable<Event> StreamAsync(
            ReadOnlySpan<int> prompt, CancellationToken cancellation = default) =>
            WalkAsync(Given(prompt), cancellation);

        /// <summary>Goes on with what the session has.</summary>
        public IAsyncEnumerable<Event> StreamAsync(CancellationToken cancellation = default) =>
            WalkAsync(null, cancellation);

        /// <summary>The answer to a conversation, which the session's tokens become.</summary>
        public ChatReply Chat(IEnumerable<ChatMessage> messages, ChatOptions? options = null,
            CancellationToken cancellation = default) =>
            new ChatReply(ChatStream(messages, options, cancellation).ToList());

        /// <summary>The answer to one message of the user's.</summary>
        public ChatReply Chat(string message, ChatOptions? options = null, CancellationToken cancellation = default) =>
            Chat(new[] { ChatMessage.User(message) }, options, cancellation);

        /// <summary>The same, on a thread of the session's own.</summary>
        public Task<ChatReply> ChatAsync(IEnumerable<ChatMessage> messages, ChatOptions? options = null,
            CancellationToken cancellation = default) =>
            worker.Run(() => Chat(messages, options, cancellation));

        /// <summary>The parts of the answer as they come: content, thoughts, and calls of the options' Tools. Of the
        /// token that completes a stop string what is before that is part of the content.</summary>
        public IEnumerable<ChatPart> ChatStream(IEnumerable<ChatMessage> messages, ChatOptions? options = null,
            CancellationToken cancellation = default)
        {
            Check();
            ChatMessage[] all = Checked.NotNull(messages, nameof(messages)).ToArray();
            return Parts(engine.Kept.CreateChatParser(all, options), all, options, cancellation);
        }

        /// <summary>The same, on a thread of the session's own.</summary>
        public IAsyncEnumerable<ChatPart> ChatStreamAsync(IEnumerable<ChatMessage> messages,
            ChatOptions? options = null, CancellationToken cancellation = default)
        {
            Check();
            ChatMessage[] all = Checked.NotNull(messages, nameof(messages)).ToArray();
            return PartsAsync(engine.Kept.CreateChatParser(all, options), all, options, cancellation);
        }

        /// <summary>What a text is where a walk begins: the model's marks of a beginning stand before the first
        /// alone.</summary>
        private Func<int[]> Given(string prompt)
        {
            Checked.NotNull(prompt, nameof(prompt));
            Check();
            return () => engine.Kept.Tokenize(
                prompt, Position == 0 ? TokenizeFlags.AddSpecial : TokenizeFlags.None);
        }

        private static Func<int[]> Given(ReadOnlySpan<int> prompt)
        {
            int[] ids = prompt.ToArray();
            return () => ids;
        }

        /// <summary>Begins a generation, whose name this is. Refused where a call computes. A cancel leaves the
        /// session as it was.</summary>
        private object Begin(Func<int[]>? ids, CancellationToken cancellation)
        {
            _ = Position;
            if (ids != null) Prefill(ids(), cancellation);
            return newest = new object();
        }

        private Event Next(object generation, CancellationToken cancellation) => newest == generation
            ? Next(cancellation)
            : throw new RondoException((int)Status.Busy, "another generation of this session has begun");

        private void Ask(ChatMessage[] messages, ChatOptions? options)
        {
            int[] ids = engine.Kept.ChatIds(messages, options);
            Reset();
            AppendMedia(ids, options?.Media?.ToArray() ?? Array.Empty<Media>());
        }

        private static string TextOf(IEnumerable<Event> events)
        {
            StringBuilder text = new StringBuilder();
            foreach (Event one in events) text.Append(one.Text);
            return text.ToString();
        }

        private IEnumerable<Event> Walk(Func<int[]>? ids, CancellationToken cancellation)
        {
            object mine = Begin(ids, cancellation);
            for (; ; )
            {
                Event one = Next(mine, cancellation);
                yield return one;
                if (one.Reason != Reason.None) yield break;
            }
        }

        private async IAsyncEnumerable<Event> WalkAsync(
            Func<int[]>? ids, [EnumeratorCancellation] CancellationToken cancellation)
        {
            object mine = await worker.Run(() => Begin(ids, cancellation)).ConfigureAwait(false);
            for (; ; )
            {
                Event one = await worker.Run(() => Next(mine, cancellation)).ConfigureAwait(false);
                yield return one;
                if (one.Reason != Reason.None) yield break;
            }
        }

        private IEnumerable<ChatPart> Parts(ChatParser parser, ChatMessage[] messages, ChatOptions? options,
            CancellationToken cancellation)
        {
            using (parser)
            {
                Ask(messages, options);
                foreach (Event one in Walk(null, cancellation))
                {
                    foreach (ChatPart part in parser.Take(one)) yield return part;
                }
            }
        }

        private async IAsyncEnumerable<ChatPart> PartsAsync(ChatParser parser, ChatMessage[] messages,
            ChatOptions? options, [EnumeratorCancellation] CancellationToken cancellation)
        {
            using (parser)
            {
                Ask(messages, options);
                await foreach (Event one in WalkAsync(null, cancellation).ConfigureAwait(false))
                {
                    foreach (ChatPart part in parser.Take(one)) yield return part;
                }
            }
        }
    }
}
