//! Models: files, verified and mapped.
use crate::engine::Arena;
use crate::error::{c_string, check, check_message, explained, text_output};
use crate::{
    raw, Adapter, Engine, EngineOptions, Grammar, GrammarKind, GrammarOptions, MemoryPlan,
    MemoryRegion, ModelFacts, Result, Status,
};
use std::any::Any;
use std::ffi::CString;
use std::fmt;
use std::mem::MaybeUninit;
use std::ops::ControlFlow;
use std::os::raw::c_char;
use std::path::Path;
use std::ptr;
use std::sync::Arc;

/// A model file, which never changes. Clones are the same model, and any number of engines and threads
/// share it.
#[derive(Clone)]
pub struct Model(Arc<Owner>);

struct Owner {
    handle: *mut raw::rondo_model,
    /// What the file's bytes lie in, where it was opened from memory.
    _memory: Option<Box<dyn Any + Send + Sync>>,
}

// Every function of a model is [any thread].
unsafe impl Send for Owner {}
unsafe impl Sync for Owner {}

impl Drop for Owner {
    fn drop(&mut self) {
        unsafe { raw::rondo_model_close(self.handle) }
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.fact("name").or_else(|_| self.fact("architecture")).unwrap_or_default();
        f.debug_struct("Model").field("name", &name).finish_non_exhaustive()
    }
}

/// A path as the library takes it.
pub(crate) fn c_path(path: &Path) -> Result<CString> {
    #[cfg(unix)]
    let bytes = std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str());
    #[cfg(not(unix))]
    let bytes = path
        .to_str()
        .ok_or_else(|| crate::Error::argument(format!("{:?} is no Unicode", path)))?
        .as_bytes();
    c_string(bytes)
}

impl Model {
    /// Opens the file that `rondo convert` or `rondo pull` made.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = c_path(path.as_ref())?;
        Self::from_call(None, |model, message, bytes| unsafe {
            raw::rondo_model_open_path(raw::RONDO_ABI_VERSION, path.as_ptr(), model, message, bytes)
        })
    }

    /// A model inside of another file: `length` bytes, or all, from `offset`, a multiple of 64. The
    /// descriptor may be closed afterwards.
    #[cfg(unix)]
    pub fn from_fd(
        fd: &impl std::os::unix::io::AsRawFd,
        offset: u64,
        length: Option<u64>,
    ) -> Result<Self> {
        Self::from_call(None, |model, message, bytes| unsafe {
            raw::rondo_model_open_fd(
                raw::RONDO_ABI_VERSION,
                fd.as_raw_fd(),
                offset,
                length.unwrap_or(u64::MAX),
                model,
                message,
                bytes,
            )
        })
    }

    /// A model in memory, aligned to 64: a `&'static [u8]`, or what owns such bytes, which is kept as
    /// long as anything that was made from the model.
    pub fn from_memory(owner: impl AsRef<[u8]> + Send + Sync + 'static) -> Result<Self> {
        let owner = Box::new(owner);
        let (start, length) = {
            let bytes = (*owner).as_ref();
            (bytes.as_ptr(), bytes.len())
        };
        Self::from_call(Some(owner), |model, message, message_bytes| unsafe {
            raw::rondo_model_open_memory(
                raw::RONDO_ABI_VERSION,
                start.cast(),
                length,
                model,
                message,
                message_bytes,
            )
        })
    }

    fn from_call(
        memory: Option<Box<dyn Any + Send + Sync>>,
        call: impl FnOnce(*mut *mut raw::rondo_model, *mut c_char, usize) -> i32,
    ) -> Result<Self> {
        let mut handle = ptr::null_mut();
        check_message(|message, bytes| call(&mut handle, message, bytes))?;
        Ok(Model(Arc::new(Owner { handle, _memory: memory })))
    }

    pub(crate) fn handle(&self) -> *mut raw::rondo_model {
        self.0.handle
    }

    /// A LoRA adapter: a file that `rondo convert --adapter-for` made for this model. For
    /// [`crate::SessionOptions::adapter`].
    pub fn adapter(&self, path: impl AsRef<Path>) -> Result<Adapter> {
        Adapter::open(self, path.as_ref())
    }

    /// The same in memory, aligned to 64: a `&'static [u8]`, or what owns such bytes, which is kept as
    /// long as the adapter and its sessions.
    pub fn adapter_from_memory(
        &self,
        owner: impl AsRef<[u8]> + Send + Sync + 'static,
    ) -> Result<Adapter> {
        Adapter::from_memory(self, owner)
    }

    /// What sessions may say: JSON that is valid by a schema, which is JSON itself.
    pub fn grammar(&self, schema: &str, options: &GrammarOptions) -> Result<Grammar> {
        Grammar::create(self, GrammarKind::JsonSchema, schema, options)
    }

    /// The same by a regular expression of ECMA-262, which is the whole text.
    pub fn pattern_grammar(&self, pattern: &str, options: &GrammarOptions) -> Result<Grammar> {
        Grammar::create(self, GrammarKind::Pattern, pattern, options)
    }

    /// The same by rules in GBNF's notation.
    pub fn rules_grammar(&self, gbnf: &str, options: &GrammarOptions) -> Result<Grammar> {
        Grammar::create(self, GrammarKind::Gbnf, gbnf, options)
    }

    /// The model's numbers.
    pub fn info(&self) -> Result<ModelFacts> {
        ModelFacts::filled(|facts| check(unsafe { raw::rondo_model_info(self.handle(), facts) }))
    }

    /// The tokens that end a generation.
    pub fn eos_tokens(&self) -> Result<Vec<i32>> {
        let token = |index| {
            let mut token = 0;
            check(unsafe { raw::rondo_model_eos_token(self.handle(), index, &mut token) })?;
            Ok(token)
        };
        (0..self.info()?.n_eos_tokens).map(token).collect()
    }

    /// What the file's maker wrote about it: "name", "architecture", "producer" and others.
    pub fn fact(&self, key: &str) -> Result<String> {
        let key = c_string(key)?;
        text_output(|buffer, capacity, length| unsafe {
            raw::rondo_model_fact(self.handle(), key.as_ptr(), buffer, capacity, length)
        })
    }

    /// The other keys.
    pub fn fact_keys(&self) -> Result<Vec<String>> {
        self.names(raw::rondo_model_fact_key)
    }

    /// The names of the chat templates; the first serves where no other is asked for.
    pub fn chat_template_names(&self) -> Result<Vec<String>> {
        self.names(raw::rondo_model_chat_template_name)
    }

    pub(crate) fn names(
        &self,
        call: unsafe extern "C" fn(
            *const raw::rondo_model,
            u32,
            *mut c_char,
            usize,
            *mut usize,
        ) -> i32,
    ) -> Result<Vec<String>> {
        let mut names = Vec::new();
        loop {
            let index = names.len() as u32;
            match text_output(|buffer, capacity, length| unsafe {
                call(self.handle(), index, buffer, capacity, length)
            }) {
                Ok(name) => names.push(name),
                // Behind the last one.
                Err(error) if error.status() == Status::InvalidArgument => return Ok(names),
                Err(error) => return Err(error),
            }
        }
    }

    /// The Jinja text of the chat template of this name.
    pub fn chat_template(&self, name: &str) -> Result<String> {
        let name = c_string(name)?;
        text_output(|buffer, capacity, length| unsafe {
            raw::rondo_model_chat_template(self.handle(), name.as_ptr(), buffer, capacity, length)
        })
    }

    /// Text to token ids. Texts of special tokens become these tokens: check what strangers write.
    pub fn tokenize(&self, text: &str, add_special: bool) -> Result<Vec<i32>> {
        let flags = if add_special { raw::RONDO_TOKENIZE_ADD_SPECIAL } else { 0 };
        let mut ids = vec![0; text.len() / 2 + 16];
        loop {
            let mut count = 0;
            let status = unsafe {
                raw::rondo_tokenize(
                    self.handle(),
                    text.as_ptr().cast(),
                    text.len(),
                    flags,
                    ids.as_mut_ptr(),
                    ids.len(),
                    &mut count,
                )
            };
            ids.resize(count, 0);
            if status != raw::RONDO_STATUS_BUFFER_TOO_SMALL {
                return check(status).map(|()| ids);
            }
        }
    }

    /// Token ids to text.
    pub fn detokenize(&self, ids: &[i32], skip_special: bool) -> Result<String> {
        let flags = if skip_special { raw::RONDO_DETOKENIZE_SKIP_SPECIAL } else { 0 };
        let text = text_output(|buffer, capacity, length| unsafe {
            raw::rondo_detokenize(
                self.handle(),
                ids.as_ptr(),
                ids.len(),
                flags,
                buffer,
                capacity,
                length,
            )
        });
        let absent = "ids has a number that is no token of the model";
        explained(text, &[(Status::InvalidArgument, absent)])
    }

    /// What an engine with these options will take, to the byte.
    pub fn plan(&self, options: &EngineOptions) -> Result<MemoryPlan> {
        options.with_raw(|options| {
            MemoryPlan::filled(|plan| {
                check_message(|message, bytes| unsafe {
                    raw::rondo_plan(self.handle(), options, plan, message, bytes)
                })
            })
        })
    }

    /// The parts of that plan, lowest address first.
    pub fn plan_regions(&self, options: &EngineOptions) -> Result<Vec<MemoryRegion>> {
        let n = self.plan(options)?.n_regions;
        options.with_raw(|options| {
            let region = |index| {
                MemoryRegion::filled(|region| {
                    check(unsafe { raw::rondo_plan_region(self.handle(), options, index, region) })
                })
            };
            (0..n).map(region).collect()
        })
    }

    /// The largest context whose plan fits into so many bytes.
    pub fn plan_fit(&self, bytes: u64, options: &EngineOptions) -> Result<u32> {
        let mut context = 0;
        options.with_raw(|options| {
            check_message(|message, message_bytes| unsafe {
                raw::rondo_plan_fit(
                    self.handle(),
                    options,
                    bytes,
                    &mut context,
                    message,
                    message_bytes,
                )
            })
        })?;
        Ok(context)
    }

    /// The bytes that the grammar of this schema takes.
    pub fn plan_grammar(&self, schema: &str, options: &GrammarOptions) -> Result<u64> {
        Grammar::plan(self, GrammarKind::JsonSchema, schema, options)
    }

    /// The bytes that the grammar of this pattern takes.
    pub fn plan_pattern_grammar(&self, pattern: &str, options: &GrammarOptions) -> Result<u64> {
        Grammar::plan(self, GrammarKind::Pattern, pattern, options)
    }

    /// The bytes that the grammar of these rules takes.
    pub fn plan_rules_grammar(&self, gbnf: &str, options: &GrammarOptions) -> Result<u64> {
        Grammar::plan(self, GrammarKind::Gbnf, gbnf, options)
    }

    /// Makes the model runnable, in memory of the system's. Of a large model that takes seconds:
    /// [`Model::engine_with_progress`] tells how far it is, [`Model::engine_async`] does not block.
    pub fn engine(&self, options: &EngineOptions) -> Result<Engine> {
        Engine::create(self, options, None, None)
    }

    /// The same, and tells how far it is: `done` of `total` bytes. [`ControlFlow::Break`] cancels it.
    pub fn engine_with_progress(
        &self,
        options: &EngineOptions,
        mut told: impl FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<Engine> {
        Engine::create(self, options, None, Some(&mut told))
    }

    /// Makes the model runnable in the caller's memory, of the plan's size and alignment: a `&'static
    /// mut [MaybeUninit<u8>]`, or what owns such bytes, which is kept until the engine and its
    /// sessions are gone.
    pub fn engine_in(
        &self,
        options: &EngineOptions,
        arena: impl AsMut<[MaybeUninit<u8>]> + Send + Sync + 'static,
    ) -> Result<Engine> {
        Engine::create(self, options, Some(Arena::new(arena)), None)
    }
}
