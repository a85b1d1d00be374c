//! Conversations, and answers taken apart.
use crate::error::{c_string, check, check_message};
use crate::{raw, Calls, ChatPartKind, Event, Model, Reason, Result, Session, Stream};
use std::collections::VecDeque;
use std::mem::{size_of, MaybeUninit};
use std::os::raw::c_char;
use std::ptr;
use std::slice;

/// What a conversation is rendered from. Texts are JSON, but for the template.
#[derive(Clone, Copy, Default, Debug)]
pub struct Chat<'a> {
    /// `[{"role": "user", "content": "Hello!"}, ...]`
    pub messages: &'a str,
    /// The functions that the model may call: a list of JSON schemas.
    pub tools: Option<&'a str>,
    /// An object: more names for the template.
    pub variables: Option<&'a str>,
    /// Jinja, in place of the model's own.
    pub template: Option<&'a str>,
    /// Of the model.
    pub template_name: Option<&'a str>,
    /// The text does not end where the assistant's answer begins.
    pub no_generation_prompt: bool,
    /// The text ends inside of the last message, which the model goes on with.
    pub continue_final: bool,
    /// Texts of special tokens in messages become these tokens. Else only what the template itself
    /// wrote does.
    pub special_content: bool,
    /// What the clock on the wall shows, as seconds since 1970-01-01 00:00.
    pub local_time: Option<i64>,
}

/// A piece of an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ChatPart {
    /// A piece of the answer itself.
    Content(String),
    /// A piece of a thought.
    Thinking(String),
    /// A call begins.
    Call {
        /// Its number, from 0.
        call: u64,
        /// Of the function.
        name: String,
        /// That the model gave it; empty where it writes none.
        id: String,
    },
    /// A piece of the arguments of this call.
    Arguments {
        /// Its number.
        call: u64,
        /// The piece.
        text: String,
    },
    /// The call is whole.
    CallEnd {
        /// Its number.
        call: u64,
        /// Of the function.
        name: String,
        /// That the model gave it; empty where it writes none.
        id: String,
        /// All of them, as JSON.
        arguments: String,
    },
    /// Of a newer library.
    Other {
        /// What it is.
        kind: ChatPartKind,
        /// Its text.
        text: String,
    },
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

impl Chat<'_> {
    fn with_raw<T>(
        &self,
        use_raw: impl FnOnce(&raw::rondo_chat_options) -> Result<T>,
    ) -> Result<T> {
        let name = self.template_name.map(c_string).transpose()?;
        let mut options: raw::rondo_chat_options = unsafe { MaybeUninit::zeroed().assume_init() };
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
        (options.messages, options.messages_bytes) = part(Some(self.messages));
        (options.tools, options.tools_bytes) = part(self.tools);
        (options.variables, options.variables_bytes) = part(self.variables);
        (options.template_text, options.template_bytes) = part(self.template);
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

impl<'m> Model<'m> {
    /// The text of a conversation.
    pub fn render_chat(&self, chat: &Chat<'_>) -> Result<String> {
        chat.text(|options, text, room, length, message, bytes| unsafe {
            let (ids, count) = (ptr::null_mut(), ptr::null_mut());
            raw::rondo_chat_render(
                self.handle,
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
    pub fn chat_ids(&self, chat: &Chat<'_>) -> Result<Vec<i32>> {
        chat.with_raw(|options| {
            let mut ids = vec![0; 1024];
            loop {
                let mut count = 0;
                let fits = fits(|message, bytes| unsafe {
                    raw::rondo_chat_render(
                        self.handle,
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
        chat: &Chat<'_>,
        calls: Calls,
        function: Option<&str>,
    ) -> Result<String> {
        let function = function.map(c_string).transpose()?;
        let only = function.as_ref().map_or(ptr::null(), |name| name.as_ptr());
        chat.text(|options, text, room, length, message, bytes| unsafe {
            raw::rondo_chat_grammar(
                self.handle,
                options,
                calls.0,
                only,
                text,
                room,
                length,
                message,
                bytes,
            )
        })
    }

    /// What begins and what ends a thought in the template; empty where it has none.
    pub fn chat_thinking(&self, chat: &Chat<'_>) -> Result<(String, String)> {
        chat.with_raw(|options| {
            let (mut begin, mut end) = (vec![0u8; 256], vec![0u8; 256]);
            loop {
                let (mut begin_length, mut end_length) = (0, 0);
                let fits = fits(|message, bytes| unsafe {
                    raw::rondo_chat_thinking(
                        self.handle,
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
    pub fn chat_parser(&self, chat: &Chat<'_>) -> Result<ChatParser<'m>> {
        let mut handle = ptr::null_mut();
        chat.with_raw(|options| {
            check_message(|message, bytes| unsafe {
                raw::rondo_chat_parser_create(self.handle, options, &mut handle, message, bytes)
            })
        })?;
        Ok(ChatParser { handle, call: Writing::default(), _model: self.share() })
    }
}

/// Made by [`Model::chat_parser`]. Takes an answer as it comes, cut anywhere, and hands out its parts.
pub struct ChatParser<'m> {
    handle: *mut raw::rondo_chat_parser,
    call: Writing,
    _model: Model<'m>,
}

/// The call that is being written.
#[derive(Default)]
struct Writing {
    name: String,
    id: String,
    arguments: String,
}

// [one call per parser], from whichever thread: Send, and not Sync.
unsafe impl Send for ChatParser<'_> {}

impl Drop for ChatParser<'_> {
    fn drop(&mut self) {
        unsafe { raw::rondo_chat_parser_close(self.handle) }
    }
}

impl<'m> ChatParser<'m> {
    /// Gives the answer's next bytes, those of events. `last`: there are no more behind them.
    pub fn push(&mut self, bytes: &[u8], last: bool) -> Result<()> {
        check(unsafe {
            let start = bytes.as_ptr().cast();
            raw::rondo_chat_parser_push(self.handle, start, bytes.len(), i32::from(last))
        })
    }

    /// What was not handed out yet, as far as it is known what it is.
    pub fn parts(&mut self) -> Parts<'_, 'm> {
        Parts { parser: self }
    }

    fn part(&mut self) -> Result<Option<ChatPart>> {
        let mut raw: raw::rondo_chat_part = unsafe { MaybeUninit::zeroed().assume_init() };
        raw.struct_size = size_of::<raw::rondo_chat_part>() as u32;
        check(unsafe { raw::rondo_chat_parser_next(self.handle, &mut raw) })?;
        // Valid until the next call on this parser.
        let string = |start: *const c_char, count| {
            String::from_utf8_lossy(unsafe { slice::from_raw_parts(start.cast(), count) })
                .into_owned()
        };
        let call = raw.call;
        let text = string(raw.text, raw.text_bytes);
        Ok(Some(match ChatPartKind(raw.kind) {
            ChatPartKind::NONE => return Ok(None),
            ChatPartKind::CONTENT => ChatPart::Content(text),
            ChatPartKind::THINKING => ChatPart::Thinking(text),
            ChatPartKind::CALL => {
                let name = string(raw.name, raw.name_bytes);
                let id = string(raw.id, raw.id_bytes);
                self.call = Writing { name: name.clone(), id: id.clone(), ..Default::default() };
                ChatPart::Call { call, name, id }
            }
            ChatPartKind::ARGUMENTS => {
                self.call.arguments += &text;
                ChatPart::Arguments { call, text }
            }
            ChatPartKind::CALL_END => {
                let Writing { name, id, arguments } = std::mem::take(&mut self.call);
                ChatPart::CallEnd { call, name, id, arguments }
            }
            kind => ChatPart::Other { kind, text },
        }))
    }

    /// As it was made, for another answer.
    pub fn reset(&mut self) -> Result<()> {
        check(unsafe { raw::rondo_chat_parser_reset(self.handle) })
    }

    /// What an event of the answer brings.
    fn take(&mut self, event: &Event) -> Result<Vec<ChatPart>> {
        let said: &[u8] = if event.reason == Reason::EOS { &[] } else { &event.bytes };
        self.push(said, event.reason != Reason::NONE)?;
        self.parts().collect()
    }
}

/// Made by [`ChatParser::parts`].
pub struct Parts<'p, 'm> {
    parser: &'p mut ChatParser<'m>,
}

impl Iterator for Parts<'_, '_> {
    type Item = Result<ChatPart>;

    fn next(&mut self) -> Option<Result<ChatPart>> {
        self.parser.part().transpose()
    }
}

impl<'m> Session<'m> {
    /// As [`Session::chat`], taken apart: content, thoughts, and calls of the chat's tools. A stop
    /// string is part of the content.
    pub fn chat_parts(&mut self, chat: &Chat<'_>) -> Result<ChatParts<'_, 'm>> {
        let parser = self.model().chat_parser(chat)?;
        Ok(ChatParts { parser, events: self.chat(chat)?, parts: VecDeque::new() })
    }
}

/// Made by [`Session::chat_parts`].
pub struct ChatParts<'s, 'm> {
    parser: ChatParser<'m>,
    events: Stream<'s, 'm>,
    parts: VecDeque<ChatPart>,
}

impl Iterator for ChatParts<'_, '_> {
    type Item = Result<ChatPart>;

    fn next(&mut self) -> Option<Result<ChatPart>> {
        while self.parts.is_empty() {
            let taken = self.events.next()?.and_then(|event| self.parser.take(&event));
            match taken {
                Ok(parts) => self.parts.extend(parts),
                Err(error) => return Some(Err(error)),
            }
        }
        self.parts.pop_front().map(Ok)
    }
}
