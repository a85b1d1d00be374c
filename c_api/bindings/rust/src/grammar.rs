//! Grammars: what generations may say.
use crate::engine_options::setters;
use crate::error::{check, check_message};
use crate::{raw, GrammarKind, Model, Result};
use std::fmt;
use std::mem::{size_of, MaybeUninit};
use std::ptr;
use std::sync::Arc;

/// How a grammar is read. The flags are of JSON Schema alone.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct GrammarOptions {
    /// No spaces between the parts of a text.
    pub no_spaces: bool,
    /// One space behind each colon and comma and nowhere else, as chat templates write JSON.
    pub one_space: bool,
    /// Members come in any order; else as the schema has them.
    pub any_order: bool,
    /// No members that the schema does not name, unless it says that there may be.
    pub named_only: bool,
    /// For what the grammar is made of; 0: 8 MiB.
    pub memory_bytes: u64,
}

impl GrammarOptions {
    setters! {
        no_spaces: bool, one_space: bool, any_order: bool, named_only: bool, memory_bytes: u64,
    }

    /// JSON as people write it: one space behind colons and commas, and no members that the schema
    /// does not name. What [`crate::SessionOptions::json_schema`] has.
    pub fn as_people_write() -> Self {
        GrammarOptions::default().one_space(true).named_only(true)
    }

    fn raw(&self, kind: GrammarKind) -> Result<raw::rondo_grammar_options> {
        let mut raw: raw::rondo_grammar_options = unsafe { MaybeUninit::zeroed().assume_init() };
        let size = size_of::<raw::rondo_grammar_options>();
        check(unsafe { raw::rondo_grammar_options_init(&mut raw, size) })?;
        raw.kind = kind.code();
        if self.no_spaces {
            raw.flags |= raw::RONDO_SCHEMA_NO_SPACES;
        }
        if self.one_space {
            raw.flags |= raw::RONDO_SCHEMA_ONE_SPACE;
        }
        if self.any_order {
            raw.flags |= raw::RONDO_SCHEMA_ANY_ORDER;
        }
        if self.named_only {
            raw.flags |= raw::RONDO_SCHEMA_NAMED_ONLY;
        }
        raw.memory_bytes = self.memory_bytes;
        Ok(raw)
    }
}

/// Made by [`Model::grammar`]. Clones are the same grammar, and any number of sessions share it.
#[derive(Clone)]
pub struct Grammar(Arc<Owner>);

struct Owner {
    handle: *mut raw::rondo_grammar,
    _model: Model, // in whose memory its texts are
}

// A grammar never changes to its users, who may be on any thread.
unsafe impl Send for Owner {}
unsafe impl Sync for Owner {}

impl Drop for Owner {
    fn drop(&mut self) {
        unsafe { raw::rondo_grammar_close(self.handle) }
    }
}

impl Grammar {
    pub(crate) fn create(
        model: &Model,
        kind: GrammarKind,
        text: &str,
        options: &GrammarOptions,
    ) -> Result<Self> {
        let options = options.raw(kind)?;
        let mut handle = ptr::null_mut();
        check_message(|message, bytes| unsafe {
            raw::rondo_grammar_create(
                model.handle(),
                &options,
                text.as_ptr().cast(),
                text.len(),
                ptr::null_mut(),
                0,
                &mut handle,
                message,
                bytes,
            )
        })?;
        Ok(Grammar(Arc::new(Owner { handle, _model: model.clone() })))
    }

    pub(crate) fn plan(
        model: &Model,
        kind: GrammarKind,
        text: &str,
        options: &GrammarOptions,
    ) -> Result<u64> {
        let options = options.raw(kind)?;
        let mut size = 0;
        check_message(|message, bytes| unsafe {
            raw::rondo_grammar_plan(model.handle(), &options, text.len(), &mut size, message, bytes)
        })?;
        Ok(size)
    }

    pub(crate) fn handle(&self) -> *mut raw::rondo_grammar {
        self.0.handle
    }
}

impl fmt::Debug for Grammar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Grammar").finish_non_exhaustive()
    }
}
