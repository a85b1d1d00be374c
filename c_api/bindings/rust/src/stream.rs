//! Generations, token by token.
use crate::{Event, Reason, Result, Session};
use std::borrow::Cow;
use std::fmt;
use std::iter::FusedIterator;

/// What a generation begins with: a text, or token ids.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Prompt<'p> {
    /// A text, which is tokenized.
    Text(Cow<'p, str>),
    /// Token ids.
    Ids(Cow<'p, [i32]>),
}

impl Prompt<'_> {
    pub(crate) fn into_owned(self) -> Prompt<'static> {
        match self {
            Prompt::Text(text) => Prompt::Text(Cow::Owned(text.into_owned())),
            Prompt::Ids(ids) => Prompt::Ids(Cow::Owned(ids.into_owned())),
        }
    }
}

macro_rules! prompts {
    ($($from:ty => $case:ident($text:ident, $given:expr)),* $(,)?) => {
        $(
            impl<'p> From<$from> for Prompt<'p> {
                fn from($text: $from) -> Self {
                    Prompt::$case(Cow::from($given))
                }
            }
        )*
    };
}

prompts! {
    &'p str => Text(text, text),
    &'p String => Text(text, text.as_str()),
    String => Text(text, text),
    &'p [i32] => Ids(ids, ids),
    &'p Vec<i32> => Ids(ids, ids.as_slice()),
    Vec<i32> => Ids(ids, ids),
}

impl<'p, const N: usize> From<&'p [i32; N]> for Prompt<'p> {
    fn from(ids: &'p [i32; N]) -> Self {
        Prompt::Ids(Cow::from(&ids[..]))
    }
}

/// The events of a generation, made by [`Session::stream`] and [`Session::resume`]. A token is computed
/// when it is asked for: what is left early leaves the session as the last event had it.
#[must_use = "a stream computes nothing but what it is asked for"]
pub struct Stream<'s> {
    session: &'s mut Session,
    begun: Option<Result<()>>,
    reason: Option<Reason>,
    over: bool,
}

impl<'s> Stream<'s> {
    pub(crate) fn begun(session: &'s mut Session, begun: Result<()>) -> Self {
        Stream { session, begun: Some(begun), reason: None, over: false }
    }

    /// Why the generation ended; none: it did not yet.
    pub fn reason(&self) -> Option<Reason> {
        self.reason
    }
}

impl Iterator for Stream<'_> {
    type Item = Result<Event>;

    fn next(&mut self) -> Option<Result<Event>> {
        if self.over {
            return None;
        }
        let event = self.begun.take().unwrap_or(Ok(())).and_then(|()| self.session.next());
        self.reason = event.as_ref().map_or(None, |event| event.reason);
        self.over = event.is_err() || self.reason.is_some();
        Some(event)
    }
}

impl FusedIterator for Stream<'_> {}

impl fmt::Debug for Stream<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").field("reason", &self.reason).finish_non_exhaustive()
    }
}
