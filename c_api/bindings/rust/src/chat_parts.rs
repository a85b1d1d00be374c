//! Answers taken apart.
use crate::error::check;
use crate::{raw, Call, Chat, Event, Model, Reason, Reply, Result, Session, Stream};
use std::collections::VecDeque;
use std::fmt;
use std::iter::FusedIterator;
use std::mem::{size_of, zeroed};
use std::os::raw::c_char;
use std::slice;

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
        kind: i32,
        /// Its text.
        text: String,
    },
}

/// Made by [`Model::chat_parser`]. Takes an answer as it comes, cut anywhere, and hands out its parts.
pub struct ChatParser {
    handle: *mut raw::rondo_chat_parser,
    call: Call, // that is being written
    _model: Model,
}

// [one call per parser], from whichever thread: Send, and not Sync.
unsafe impl Send for ChatParser {}

impl Drop for ChatParser {
    fn drop(&mut self) {
        unsafe { raw::rondo_chat_parser_close(self.handle) }
    }
}

impl ChatParser {
    pub(crate) fn create(
        model: &Model,
        chat: &Chat,
        create: impl FnOnce(&raw::rondo_chat_options, *mut *mut raw::rondo_chat_parser) -> Result<()>,
    ) -> Result<Self> {
        let mut handle = std::ptr::null_mut();
        chat.with_raw(|options| create(options, &mut handle))?;
        Ok(ChatParser { handle, call: Call::default(), _model: model.clone() })
    }

    /// Gives the answer's next bytes, those of events. `last`: there are no more behind them.
    pub fn push(&mut self, bytes: &[u8], last: bool) -> Result<()> {
        check(unsafe {
            let start = bytes.as_ptr().cast();
            raw::rondo_chat_parser_push(self.handle, start, bytes.len(), i32::from(last))
        })
    }

    /// What was not handed out yet, as far as it is known what it is.
    pub fn parts(&mut self) -> Parts<'_> {
        Parts { parser: self }
    }

    fn part(&mut self) -> Result<Option<ChatPart>> {
        let mut raw: raw::rondo_chat_part = unsafe { zeroed() };
        raw.struct_size = size_of::<raw::rondo_chat_part>() as u32;
        check(unsafe { raw::rondo_chat_parser_next(self.handle, &mut raw) })?;
        // Valid until the next call on this parser.
        let string = |start: *const c_char, count| {
            String::from_utf8_lossy(unsafe { slice::from_raw_parts(start.cast(), count) })
                .into_owned()
        };
        let call = raw.call;
        let text = string(raw.text, raw.text_bytes);
        Ok(Some(match raw.kind {
            raw::RONDO_CHAT_PART_NONE => return Ok(None),
            raw::RONDO_CHAT_PART_CONTENT => ChatPart::Content(text),
            raw::RONDO_CHAT_PART_THINKING => ChatPart::Thinking(text),
            raw::RONDO_CHAT_PART_CALL => {
                let (name, id) = (string(raw.name, raw.name_bytes), string(raw.id, raw.id_bytes));
                self.call = Call { name: name.clone(), id: id.clone(), ..Call::default() };
                ChatPart::Call { call, name, id }
            }
            raw::RONDO_CHAT_PART_ARGUMENTS => {
                self.call.arguments += &text;
                ChatPart::Arguments { call, text }
            }
            raw::RONDO_CHAT_PART_CALL_END => {
                let Call { name, id, arguments } = std::mem::take(&mut self.call);
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
        let before = event.text.as_bytes();
        let said: &[u8] = match event.reason {
            Some(Reason::Eos) => &[],
            // Of the token that completes it, what is before it.
            Some(Reason::StopString) if event.bytes.starts_with(before) => before,
            Some(Reason::StopString) => &[],
            _ => &event.bytes,
        };
        self.push(said, event.reason.is_some())?;
        self.parts().collect()
    }
}

/// Made by [`ChatParser::parts`].
pub struct Parts<'p> {
    parser: &'p mut ChatParser,
}

impl Iterator for Parts<'_> {
    type Item = Result<ChatPart>;

    fn next(&mut self) -> Option<Result<ChatPart>> {
        self.parser.part().transpose()
    }
}

impl fmt::Debug for ChatParser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChatParser").field("call", &self.call).finish_non_exhaustive()
    }
}

impl fmt::Debug for Parts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parts").finish_non_exhaustive()
    }
}

impl Session {
    /// The answer to a conversation, whose tokens the session's become: it begins anew, and what it had
    /// of the same conversation is taken over.
    ///
    /// ```no_run
    /// # fn main() -> rondo::Result<()> {
    /// # let engine = rondo::Model::open("model.rondo")?.engine(&Default::default())?;
    /// # let mut session = engine.session(&Default::default())?;
    /// use rondo::Message;
    ///
    /// let mut messages = vec![Message::user("How are you?")];
    /// let reply = session.chat(&messages)?;
    /// println!("{}", reply.text);
    /// messages.extend([Message::from(&reply), Message::user("Why?")]);
    /// println!("{}", session.chat(&messages)?.text);
    /// # Ok(())
    /// # }
    /// ```
    pub fn chat(&mut self, chat: impl Into<Chat>) -> Result<Reply> {
        let mut stream = self.chat_stream(chat);
        let (mut text, mut thinking, mut calls) = (String::new(), String::new(), Vec::new());
        for part in &mut stream {
            match part? {
                ChatPart::Content(piece) => text += &piece,
                ChatPart::Thinking(piece) => thinking += &piece,
                ChatPart::CallEnd { name, id, arguments, .. } => {
                    calls.push(Call { name, id, arguments })
                }
                ChatPart::Call { .. } | ChatPart::Arguments { .. } | ChatPart::Other { .. } => {}
            }
        }
        let reason = stream.reason().unwrap_or(Reason::Other(0));
        Ok(Reply { text, thinking, calls, reason })
    }

    /// The same part by part: content, thoughts, and calls of the chat's tools. Of the token that
    /// completes a stop string what is before that is part of the content. A failure of the
    /// conversation is the first item.
    pub fn chat_stream(&mut self, chat: impl Into<Chat>) -> ChatStream<'_> {
        let chat = chat.into();
        let parser = self.model().chat_parser(&chat);
        let begun = parser.and_then(|parser| self.ask(&chat).map(|()| parser));
        let (parser, begun) = match begun {
            Ok(parser) => (Some(parser), Ok(())),
            Err(error) => (None, Err(error)),
        };
        ChatStream { parser, events: Stream::begun(self, begun), parts: VecDeque::new() }
    }

    /// The answer as events, not taken apart.
    pub fn chat_events(&mut self, chat: impl Into<Chat>) -> Stream<'_> {
        let begun = self.ask(&chat.into());
        Stream::begun(self, begun)
    }

    fn ask(&mut self, chat: &Chat) -> Result<()> {
        let ids = self.model().chat_ids(chat)?;
        self.reset()?;
        let media: Vec<_> = chat.media.iter().collect();
        self.append_media(&ids, &media) // refuses ids in which pictures are missing
    }
}

/// The parts of an answer, made by [`Session::chat_stream`].
#[must_use = "a stream computes nothing but what it is asked for"]
pub struct ChatStream<'s> {
    parser: Option<ChatParser>, // none: the conversation failed
    events: Stream<'s>,
    parts: VecDeque<ChatPart>,
}

impl ChatStream<'_> {
    /// Why the answer ended; none: it did not yet.
    pub fn reason(&self) -> Option<Reason> {
        self.events.reason()
    }
}

impl Iterator for ChatStream<'_> {
    type Item = Result<ChatPart>;

    fn next(&mut self) -> Option<Result<ChatPart>> {
        while self.parts.is_empty() {
            let event = match self.events.next()? {
                Ok(event) => event,
                Err(error) => return Some(Err(error)),
            };
            match self.parser.as_mut()?.take(&event) {
                Ok(parts) => self.parts.extend(parts),
                Err(error) => return Some(Err(error)),
            }
        }
        self.parts.pop_front().map(Ok)
    }
}

impl FusedIterator for ChatStream<'_> {}

impl fmt::Debug for ChatStream<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChatStream").field("reason", &self.reason()).finish_non_exhaustive()
    }
}
