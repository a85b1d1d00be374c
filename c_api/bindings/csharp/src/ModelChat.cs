using System;
using System.Collections.Generic;

namespace Rondo
{
    public sealed partial class Model
    {
        private delegate T Rendering<T>(IntPtr model, Box raw);

        private sealed class Box
        {
            internal Raw.ChatOptions Value;
        }

        /// <summary>The model's own chat templates, by their names. The first serves where none is
        /// named.</summary>
        public IReadOnlyDictionary<string, string> ChatTemplates
        {
            get
            {
                Dictionary<string, string> templates = new Dictionary<string, string>();
                foreach (string name in Names(Raw.rondo_model_chat_template_name))
                {
                    byte[]? asked = Native.ZeroTerminated(name, nameof(name));
                    templates[name] = With(model => Native.Text((buffer, capacity, length) =>
                        Raw.rondo_model_chat_template(model, asked, buffer, capacity, length)));
                }
                return templates;
            }
        }

        /// <summary>The text of a conversation.</summary>
        public string RenderChat(IEnumerable<ChatMessage> messages, ChatOptions? options = null) =>
            Render(messages, options, (model, raw) => Native.Text((buffer, capacity, length) =>
                Fits((message, bytes) => Raw.rondo_chat_render(model, ref raw.Value, buffer, capacity, length,
                    null, UIntPtr.Zero, null, message, bytes))));

        /// <summary>The token ids of a conversation.</summary>
        public int[] ChatIds(IEnumerable<ChatMessage> messages, ChatOptions? options = null) =>
            Render(messages, options, (model, raw) => Native.Ids(1024, (ids, capacity, count) =>
                Fits((message, bytes) => Raw.rondo_chat_render(model, ref raw.Value, null, UIntPtr.Zero, null,
                    ids, capacity, count, message, bytes))));

        /// <summary>Takes answers to this conversation apart; the options' Tools say what may be
        /// called.</summary>
        public ChatParser CreateChatParser(IEnumerable<ChatMessage> messages, ChatOptions? options = null) =>
            Render(messages, options, (model, raw) =>
            {
                IntPtr parser = IntPtr.Zero;
                Native.CheckMessage((message, bytes) => Raw.rondo_chat_parser_create(
                    model, ref raw.Value, out parser, message, bytes));
                return new ChatParser(parser);
            });

        /// <summary>The grammar of answers to a conversation whose calls of the options' Tools parse. function:
        /// the only one that may be called; null: any.</summary>
        public Grammar CreateChatGrammar(IEnumerable<ChatMessage> messages, ChatOptions options,
            Calls calls = Calls.Auto, string? function = null) =>
            CreateRulesGrammar(ChatGrammar(messages, options, calls, function), new GrammarOptions { OneSpace = true });

        /// <summary>Its rules in GBNF's notation.</summary>
        public string ChatGrammar(IEnumerable<ChatMessage> messages, ChatOptions options,
            Calls calls = Calls.Auto, string? function = null)
        {
            byte[]? only = Native.ZeroTerminated(function, nameof(function));
            return Render(messages, options, (model, raw) => Native.Text((buffer, capacity, length) =>
                Fits((message, bytes) => Raw.rondo_chat_grammar(
                    model, ref raw.Value, (int)calls, only, buffer, capacity, length, message, bytes))));
        }

        /// <summary>What begins and what ends a thought in the template; empty where it has none.</summary>
        public (string Begin, string End) ChatThinking(
            IEnumerable<ChatMessage> messages, ChatOptions? options = null)
        {
            byte[] end = Array.Empty<byte>();
            UIntPtr[] count = new UIntPtr[1];
            string begin = Render(messages, options, (model, raw) => Native.Text((buffer, capacity, length) =>
            {
                end = new byte[(int)count[0] + 1];
                return Fits((message, bytes) => Raw.rondo_chat_thinking(model, ref raw.Value, buffer, capacity,
                    length, end, Native.Size(end.Length), count, message, bytes));
            }));
            return (begin, Native.Text(end));
        }

        private T Render<T>(IEnumerable<ChatMessage> messages, ChatOptions? options, Rendering<T> render)
        {
            using Lent lent = new Lent();
            Box raw = new Box { Value = (options ?? new ChatOptions()).With(lent, messages) };
            return With(model => render(model, raw));
        }

        /// <summary>Throws with the message where the call fails otherwise than for want of room.</summary>
        private static int Fits(Native.WithMessage call)
        {
            int status = 0;
            Native.CheckMessage((message, bytes) =>
            {
                status = call(message, bytes);
                return status == (int)Status.BufferTooSmall ? 0 : status;
            });
            return status;
        }
    }
}
