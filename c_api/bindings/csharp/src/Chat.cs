using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;

namespace Rondo
{
    /// <summary>A message of a conversation.</summary>
    public sealed class ChatMessage
    {
        /// <summary>Of role "user", "assistant", "system" or another that the model's template knows.</summary>
        public ChatMessage(string role, string content)
            : this($"{{\"role\": {Quoted(role, nameof(role))}, \"content\": {Quoted(content, nameof(content))}}}")
        {
        }

        private ChatMessage(string json) => Json = json;

        /// <summary>As it is rendered.</summary>
        public string Json { get; }

        /// <summary>What the model is to keep to.</summary>
        public static ChatMessage System(string content) => new ChatMessage("system", content);

        /// <summary>What the user says.</summary>
        public static ChatMessage User(string content) => new ChatMessage("user", content);

        /// <summary>What the user says about so many pictures, which ChatOptions.Media has.</summary>
        public static ChatMessage User(string content, int images)
        {
            Checked.Int(nameof(images), images, 0, 64);
            string parts = string.Concat(Enumerable.Repeat("{\"type\": \"image\"}, ", images));
            string text = $"{{\"type\": \"text\", \"text\": {Quoted(content, nameof(content))}}}";
            return new ChatMessage($"{{\"role\": \"user\", \"content\": [{parts}{text}]}}");
        }

        /// <summary>What the model said.</summary>
        public static ChatMessage Assistant(string content) => new ChatMessage("assistant", content);

        /// <summary>What the model said, with its calls.</summary>
        public static ChatMessage Assistant(ChatReply reply)
        {
            Checked.NotNull(reply, nameof(reply));
            if (reply.Calls.Count == 0) return Assistant(reply.Text);
            string calls = string.Join(", ", reply.Calls.Select(call =>
                $"{{\"type\": \"function\", \"id\": {Quoted(call.Id, "id")}, \"function\": " +
                $"{{\"name\": {Quoted(call.Name, "name")}, \"arguments\": {call.Arguments}}}}}"));
            return new ChatMessage($"{{\"role\": \"assistant\", \"content\": {Quoted(reply.Text, "text")}, " +
                $"\"tool_calls\": [{calls}]}}");
        }

        /// <summary>What a function gave that the model called.</summary>
        public static ChatMessage Tool(string content) => new ChatMessage("tool", content);

        /// <summary>A message as JSON, for what templates know beside role and content.</summary>
        public static ChatMessage FromJson(string json) => new ChatMessage(Checked.NotNull(json, nameof(json)));

        private static string Quoted(string text, string name)
        {
            StringBuilder quoted = new StringBuilder("\"");
            foreach (char c in Checked.NotNull(text, name))
            {
                if (c == '"' || c == '\\') quoted.Append('\\').Append(c);
                else if (c < ' ') quoted.AppendFormat("\\u{0:x4}", (int)c);
                else quoted.Append(c);
            }
            return quoted.Append('"').ToString();
        }
    }

    /// <summary>How a conversation is rendered and its answer read. What is null is as the model has it.</summary>
    public sealed class ChatOptions
    {
        /// <summary>The functions that the model may call, as JSON: [{"type": "function", "function": {"name": "f",
        /// "parameters": {a JSON Schema}}}].</summary>
        public string? Tools { get; set; }

        /// <summary>More names for the template, as a JSON object: {"enable_thinking": false}.</summary>
        public string? Variables { get; set; }

        /// <summary>Jinja, in place of the model's own template.</summary>
        public string? Template { get; set; }

        /// <summary>The one of this name of the model's templates.</summary>
        public string? TemplateName { get; set; }

        /// <summary>The text ends where the assistant's answer begins.</summary>
        public bool AddGenerationPrompt { get; set; } = true;

        /// <summary>The last message is an answer that goes on.</summary>
        public bool ContinueFinal { get; set; }

        /// <summary>Only what the template itself wrote becomes special tokens. False: also their texts in
        /// messages.</summary>
        public bool PlainContent { get; set; } = true;

        /// <summary>What the clock on the wall shows; null: the template has no time.</summary>
        public DateTime? LocalTime { get; set; }

        /// <summary>The pictures of the messages, in their order.</summary>
        public IReadOnlyList<Media>? Media { get; set; }

        internal Raw.ChatOptions With(Lent lent, IEnumerable<ChatMessage> messages)
        {
            Native.Check(Raw.rondo_chat_options_init(
                out Raw.ChatOptions raw, (UIntPtr)Native.SizeOf<Raw.ChatOptions>()));
            ChatFlags flags = ContinueFinal ? ChatFlags.ContinueFinal
                : AddGenerationPrompt ? ChatFlags.AddGenerationPrompt : ChatFlags.None;
            raw.flags = (uint)(PlainContent ? flags | ChatFlags.PlainContent : flags);
            if (LocalTime is DateTime time) raw.local_time = (time.Ticks - 621355968000000000) / 10000000;
            string json = "[" + string.Join(", ", Checked.NotNull(messages, nameof(messages)).Select(
                message => Checked.NotNull(message, nameof(messages)).Json)) + "]";
            Lend(lent, json, out raw.messages, out raw.messages_bytes);
            Lend(lent, Tools, out raw.tools, out raw.tools_bytes);
            Lend(lent, Variables, out raw.variables, out raw.variables_bytes);
            Lend(lent, Template, out raw.template_text, out raw.template_bytes);
            raw.template_name = lent.Bytes(Native.ZeroTerminated(TemplateName, nameof(TemplateName)));
            return raw;
        }

        private static void Lend(Lent lent, string? text, out IntPtr place, out UIntPtr length)
        {
            byte[]? bytes = text is null ? null : Encoding.UTF8.GetBytes(text);
            place = lent.Bytes(bytes);
            length = Native.Size(bytes?.Length ?? 0);
        }
    }

    /// <summary>A call of a function that the model made.</summary>
    public sealed class ChatCall
    {
        /// <summary>Of the function.</summary>
        public string Name { get; }

        /// <summary>That the model gave the call; empty where it writes none.</summary>
        public string Id { get; }

        /// <summary>All of them, as JSON.</summary>
        public string Arguments { get; }

        internal ChatCall(ChatPart part) => (Name, Id, Arguments) = (part.Name, part.Id, part.Arguments);
    }

    /// <summary>An answer to a conversation.</summary>
    public sealed class ChatReply
    {
        /// <summary>The answer itself.</summary>
        public string Text { get; }

        /// <summary>What the model thought before it; empty where it did not.</summary>
        public string Thinking { get; }

        /// <summary>The functions that it calls.</summary>
        public IReadOnlyList<ChatCall> Calls { get; }

        /// <summary>Why it ended.</summary>
        public Reason Reason { get; }

        internal ChatReply(IReadOnlyCollection<ChatPart> parts)
        {
            string Of(ChatPartKind kind) =>
                string.Concat(parts.Where(part => part.Kind == kind).Select(part => part.Text));
            Text = Of(ChatPartKind.Content);
            Thinking = Of(ChatPartKind.Thinking);
            Calls = parts.Where(part => part.Kind == ChatPartKind.CallEnd).Select(part => new ChatCall(part)).ToList();
            Reason = parts.Count > 0 ? parts.Last().Reason : Reason.None;
        }

        /// <summary>The answer itself.</summary>
        public override string ToString() => Text;
    }
}
