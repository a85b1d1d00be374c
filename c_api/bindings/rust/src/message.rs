//! Messages of conversations, and answers.
use crate::Reason;
use std::fmt::Write;

/// A message of a conversation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    json: String,
}

/// A text as JSON writes it.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            '\u{0}'..='\u{1f}' => {
                let _ = write!(out, "\\u{:04x}", character as u32); // to a String: never fails
            }
            _ => out.push(character),
        }
    }
    out.push('"');
    out
}

impl Message {
    fn of(role: &str, text: &str) -> Self {
        let content = quoted(text);
        Message { json: format!(r#"{{"role": "{}", "content": {}}}"#, role, content) }
    }

    /// What the model is told about its task.
    pub fn system(text: &str) -> Self {
        Self::of("system", text)
    }

    /// What the user says.
    pub fn user(text: &str) -> Self {
        Self::of("user", text)
    }

    /// What the user says about so many pictures, which [`crate::Chat::media`] gives.
    pub fn user_with_pictures(text: &str, pictures: usize) -> Self {
        let images = r#"{"type": "image"}, "#.repeat(pictures);
        let text = quoted(text);
        let content = format!(r#"{}{{"type": "text", "text": {}}}"#, images, text);
        Message { json: format!(r#"{{"role": "user", "content": [{}]}}"#, content) }
    }

    /// What the model said. Of a [`Reply`], with its calls, by `Message::from(&reply)`.
    pub fn assistant(text: &str) -> Self {
        Self::of("assistant", text)
    }

    /// What a function gave that the model called.
    pub fn tool(call: &Call, result: &str) -> Self {
        let id = if call.id.is_empty() {
            String::new()
        } else {
            format!(r#""tool_call_id": {}, "#, quoted(&call.id))
        };
        let (name, content) = (quoted(&call.name), quoted(result));
        Message {
            json: format!(r#"{{"role": "tool", {}"name": {}, "content": {}}}"#, id, name, content),
        }
    }

    /// Any message, as the model's makers have it: a JSON object.
    pub fn from_json(json: impl Into<String>) -> Self {
        Message { json: json.into() }
    }

    /// As the chat template reads it.
    pub fn as_json(&self) -> &str {
        &self.json
    }
}

/// A call of a function in an answer.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Call {
    /// Of the function.
    pub name: String,
    /// That the model gave it; empty where it writes none.
    pub id: String,
    /// JSON, where a grammar made the model write it so ([`crate::Model::tool_grammar`]).
    pub arguments: String,
}

/// A whole answer.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Reply {
    /// The answer itself.
    pub text: String,
    /// What the model thought before.
    pub thinking: String,
    /// The functions that it calls.
    pub calls: Vec<Call>,
    /// Why the answer ended.
    pub reason: Reason,
}

/// For the next turn of the conversation.
impl From<&Reply> for Message {
    fn from(reply: &Reply) -> Self {
        if reply.calls.is_empty() {
            return Message::assistant(&reply.text);
        }
        let call = |call: &Call| {
            let id = if call.id.is_empty() {
                String::new()
            } else {
                format!(r#""id": {}, "#, quoted(&call.id))
            };
            let (name, arguments) = (quoted(&call.name), &call.arguments);
            format!(
                r#"{{{}"type": "function", "function": {{"name": {}, "arguments": {}}}}}"#,
                id, name, arguments
            )
        };
        let calls: Vec<_> = reply.calls.iter().map(call).collect();
        Message {
            json: format!(
                r#"{{"role": "assistant", "content": {}, "tool_calls": [{}]}}"#,
                quoted(&reply.text),
                calls.join(", ")
            ),
        }
    }
}
