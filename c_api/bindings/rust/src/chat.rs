//! Conversations as the text that the model was trained on.
use crate::engine_options::setters;
use crate::error::{c_string, check, check_message};
use crate::{raw, Calls, ChatParser, Grammar, GrammarOptions, Media, Message, Model, Result};
use std::mem::{size_of, zeroed};
use std::os::raw::c_char;
use std::ptr;

/// A conversation, and what else its text is made from. A list of messages is one, too:
///
/// ```
/// use rondo::{Chat, Message};
///
/// let chat = Chat::from([Message::system("Be brief."), Message::user("Hello!")]);
/// assert!(chat.messages().starts_with(r#"[{"role": "system", "content": "Be brief."}"#));
/// ```
#[derive(Clone, Default, Debug)]
#[non_exhaustive]
pub struct Chat {
    messages: String,
    /// The functions that the model may call: a list of JSON Schemas.
    pub tools: Option<String>,
    /// An object: more names for the template.
    pub variables: Option<String>,
    /// Jinja, in place of the model's own.
    pub template: Option<String>,
    /// Of the model.
    pub template_name: Option<String>,
    /// The text does not end where the assistant's answer begins.
    pub no_generation_prompt: bool,
    /// The text ends inside of the last message, which the model goes on with.
    pub continue_final: bool,
    /// Texts of special tokens in messages become these tokens. Else only what the template itself
    /// wrote does.
    pub special_content: bool,
    /// What the clock on the wall shows, as seconds since 1970-01-01 00:00.
    pub local_time: Option<i64>,
    /// The pictures of the messages, in their order.
    pub media: Vec<Media>,
}

impl<const N: usize> From<&[Message; N]> for Chat {
    fn from(messages: &[Message; N]) -> Self {
        Chat::from(&messages[..])
    }
}

impl From<&[Message]> for Chat {
    fn from(messages: &[Message]) -> Self {
        let list: Vec<_> = messages.iter().map(Message::as_json).collect();
        Chat::from_json(format!("[{}]", list.join(", ")))
    }
}

impl From<&Vec<Message>> for Chat {
    fn from(messages: &Vec<Message>) -> Self {
        Chat::from(messages.as_slice())
    }
}

impl<const N: usize> From<[Message; N]> for Chat {
    fn from(messages: [Message; N]) -> Self {
        Chat::from(&messages[..])
    }
}

impl From<&Chat> for Chat {
    fn from(chat: &Chat) -> Self {
        chat.clone()
    }
}

/// False: there was no room for an output.
fn fits(call: impl FnOnce(*mut c_char, usize) -> i32) -> Result<bool> {
    let mut fits = true;
    check_message(|message, bytes| match call(message, bytes) {
        raw::RONDO_STATUS_BUFFER_TOO_SMALL => {
            fits = false;
            raw::RONDO_STATUS_OK
        }
        status => status,
    })?;
    Ok(fits)
}

fn text_of(mut bytes: Vec<u8>, length: usize) -> String {
    bytes.truncate(length);
    String::from_utf8_lossy(&bytes).into_owned()
}

impl Chat {
    /// Of messages as JSON: `[{"role": "user", "content": "Hello!"}, ...]`.
    pub fn from_json(messages: impl Into<String>) -> Self {
        Chat { messages: messages.into(), ..Chat::default() }
    }

    /// The messages as JSON.
    pub fn messages(&self) -> &str {
        &self.messages
    }

    /// Sets `tools`: a list of JSON Schemas, as JSON.
    #[must_use]
    pub fn tools(mut self, tools: impl Into<String>) -> Self {
        self.tools = Some(tools.into());
        self
    }

    /// Sets `variables`: an object, as JSON.
    #[must_use]
    pub fn variables(mut self, variables: impl Into<String>) -> Self {
        self.variables = Some(variables.into());
        self
    }

    /// Sets `template`: Jinja.
    #[must_use]
    pub fn template(mut self, template: impl Into<String>) -> Self {
        self.template = Some(template.into());
        self
    }

    /// Sets `template_name`: one of [`Model::chat_template_names`].
    #[must_use]
    pub fn template_name(mut self, name: impl Into<String>) -> Self {
        self.template_name = Some(name.into());
        self
    }

    /// Sets `media`: the pictures of the messages, in their order.
    #[must_use]
    pub fn media(mut self, media: impl IntoIterator<Item = Media>) -> Self {
        self.media = media.into_iter().collect();
        self
    }

    setters! {
        no_generation_prompt: bool, continue_final: bool, special_content: bool, local_time: i64,
    }

    pub(crate) fn with_raw<T>(
        &self,
        use_raw: impl FnOnce(&raw::rondo_chat_options) -> Result<T>,
    ) -> Result<T> {
        let name = self.template_name.as_deref().map(c_string).transpose()?;
        let mut options: raw::rondo_chat_options = unsafe { zeroed() };
        let size = size_of::<raw::rondo_chat_options>();
        check(unsafe { raw::rondo_chat_options_init(&mut options, size) })?;
        if self.continue_final {
            options.flags = raw::RONDO_CHAT_CONTINUE_FINAL;
        } else if self.no_generation_prompt {
            options.flags = 0;
        }
        if !self.special_content {
            options.flags |= raw::RONDO_CHAT_PLAIN_CONTENT;
        }
        let part = |text: Option<&str>| {
            text.map_or((ptr::null(), 0), |text| (text.as_ptr().cast(), text.len()))
        };
        options.local_time = self.local_time.unwrap_or(raw::RONDO_CHAT_NO_CLOCK);
        (options.messages, options.messages_bytes) = part(Some(&self.messages));
        (options.tools, options.tools_bytes) = part(self.tools.as_deref());
        (options.variables, options.variables_bytes) = part(self.variables.as_deref());
        (options.template_text, options.template_bytes) = part(self.template.as_deref());
        options.template_name = name.as_ref().map_or(ptr::null(), |name| name.as_ptr());
        use_raw(&options)
    }

    /// A text of any length that a call gives for this conversation.
    fn text(
        &self,
        mut call: impl FnMut(
            &raw::rondo_chat_options,
            *mut c_char,
            usize,
            *mut usize,
            *mut c_char,
            usize,
        ) -> i32,
    ) -> Result<String> {
        self.with_raw(|options| {
            let mut text = vec![0u8; 4096];
            loop {
                let (to, room) = (text.as_mut_ptr().cast(), text.len());
                let mut length = 0;
                if fits(|message, bytes| call(options, to, room, &mut length, message, bytes))? {
                    return Ok(text_of(text, length));
                }
                text.resize(length + 1, 0);
            }
        })
    }
}

impl Model {
    /// The text of a conversation.
    pub fn render_chat(&self, chat: &Chat) -> Result<String> {
        chat.text(|options, text, room, length, message, bytes| unsafe {
            let (ids, count) = (ptr::null_mut(), ptr::null_mut());
            raw::rondo_chat_render(
                self.handle(),
                options,
                text,
                room,
                length,
                ids,
                0,
                count,
                message,
                bytes,
            )
        })
    }

    /// The token ids of a conversation.
    pub fn chat_ids(&self, chat: &Chat) -> Result<Vec<i32>> {
        chat.with_raw(|options| {
            let mut ids = vec![0; 1024];
            loop {
                let mut count = 0;
                let fits = fits(|message, bytes| unsafe {
                    raw::rondo_chat_render(
                        self.handle(),
                        options,
                        ptr::null_mut(),
                        0,
                        ptr::null_mut(),
                        ids.as_mut_ptr(),
                        ids.len(),
                        &mut count,
                        message,
                        bytes,
                    )
                })?;
                ids.resize(count, 0);
                if fits {
                    return Ok(ids);
                }
            }
        })
    }

    /// The GBNF of answers to a conversation whose calls of its tools parse, for
    /// [`Model::rules_grammar`]. `function`: the only one that may be called.
    pub fn chat_grammar(
        &self,
        chat: &Chat,
        calls: Calls,
        function: Option<&str>,
    ) -> Result<String> {
        let function = function.map(c_string).transpose()?;
        let only = function.as_ref().map_or(ptr::null(), |name| name.as_ptr());
        chat.text(|options, text, room, length, message, bytes| unsafe {
            raw::rondo_chat_grammar(
                self.handle(),
                options,
                calls.code(),
                only,
                text,
                room,
                length,
                message,
                bytes,
            )
        })
    }

    /// The same as a grammar, for [`crate::SessionOptions::grammar`].
    pub fn tool_grammar(&self, chat: &Chat, calls: Calls) -> Result<Grammar> {
        let rules = self.chat_grammar(chat, calls, None)?;
        self.rules_grammar(&rules, &GrammarOptions::default())
    }

    /// What begins and what ends a thought in the template; empty where it has none.
    pub fn chat_thinking(&self, chat: &Chat) -> Result<(String, String)> {
        chat.with_raw(|options| {
            let (mut begin, mut end) = (vec![0u8; 256], vec![0u8; 256]);
            loop {
                let (mut begin_length, mut end_length) = (0, 0);
                let fits = fits(|message, bytes| unsafe {
                    raw::rondo_chat_thinking(
                        self.handle(),
                        options,
                        begin.as_mut_ptr().cast(),
                        begin.len(),
                        &mut begin_length,
                        end.as_mut_ptr().cast(),
                        end.len(),
                        &mut end_length,
                        message,
                        bytes,
                    )
                })?;
                if fits {
                    return Ok((text_of(begin, begin_length), text_of(end, end_length)));
                }
                begin.resize(begin_length + 1, 0);
                end.resize(end_length + 1, 0);
            }
        })
    }

    /// Takes answers to this conversation apart; its tools say what may be called.
    pub fn chat_parser(&self, chat: &Chat) -> Result<ChatParser> {
        ChatParser::create(self, chat, |options, handle| {
            check_message(|message, bytes| unsafe {
                raw::rondo_chat_parser_create(self.handle(), options, handle, message, bytes)
            })
        })
    }
}
