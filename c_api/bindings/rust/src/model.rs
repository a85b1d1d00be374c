//! Models: files, verified and mapped.
use crate::error::{c_string, check, check_message, text_output};
use crate::{
    raw, Adapter, Engine, EngineOptions, Error, Grammar, GrammarKind, GrammarOptions, MemoryPlan,
    MemoryRegion, ModelFacts, Result, Status,
};
use std::marker::PhantomData;
use std::mem::{size_of, MaybeUninit};
use std::os::raw::c_char;
use std::path::Path;
use std::ptr;
use std::sync::Arc;

/// A model file. Immutable; shared by engines and threads.
pub struct Model<'m> {
    pub(crate) handle: *mut raw::rondo_model,
    owner: Arc<Owner>,
    memory: PhantomData<&'m [u8]>,
}

/// Gives the handle up when neither the model nor what was made from it is there any more.
struct Owner(*mut raw::rondo_model);

// Every function of a model is [any thread].
unsafe impl Send for Model<'_> {}
unsafe impl Sync for Model<'_> {}

impl Drop for Owner {
    fn drop(&mut self) {
        unsafe { raw::rondo_model_close(self.0) }
    }
}

impl Model<'static> {
    /// Opens the file that `rondo convert` made.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = c_string(&path.as_ref().to_string_lossy())?;
        Self::from_call(|model, message, bytes| unsafe {
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
        Self::from_call(|model, message, bytes| unsafe {
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

    /// A LoRA adapter: a file that `rondo convert --adapter-for` made for this model. For
    /// [`crate::SessionOptions::adapter`].
    pub fn adapter(&self, path: impl AsRef<Path>) -> Result<Adapter> {
        Adapter::open(self, path.as_ref())
    }

    /// What sessions may say: JSON that is valid by a schema, which is JSON itself. Of a model in
    /// memory that is lent for less than ever, [`crate::SessionOptions::json_schema`] makes one.
    pub fn grammar(&self, schema: &str, options: &GrammarOptions) -> Result<Grammar> {
        Grammar::create(self, GrammarKind::JSON_SCHEMA, schema, options)
    }

    /// The same by a regular expression of ECMA-262, which is the whole text.
    pub fn pattern_grammar(&self, pattern: &str, options: &GrammarOptions) -> Result<Grammar> {
        Grammar::create(self, GrammarKind::PATTERN, pattern, options)
    }

    /// The same by rules in GBNF's notation.
    pub fn rules_grammar(&self, gbnf: &str, options: &GrammarOptions) -> Result<Grammar> {
        Grammar::create(self, GrammarKind::GBNF, gbnf, options)
    }
}

impl<'m> Model<'m> {
    /// A model in memory, aligned to 64.
    pub fn from_memory(bytes: &'m [u8]) -> Result<Self> {
        Self::from_call(|model, message, message_bytes| unsafe {
            raw::rondo_model_open_memory(
                raw::RONDO_ABI_VERSION,
                bytes.as_ptr().cast(),
                bytes.len(),
                model,
                message,
                message_bytes,
            )
        })
    }

    fn from_call(
        call: impl FnOnce(*mut *mut raw::rondo_model, *mut c_char, usize) -> i32,
    ) -> Result<Self> {
        let mut handle = ptr::null_mut();
        check_message(|message, bytes| call(&mut handle, message, bytes))?;
        Ok(Model { handle, owner: Arc::new(Owner(handle)), memory: PhantomData })
    }

    /// The same model, for what is made from it.
    pub(crate) fn share(&self) -> Self {
        Model { handle: self.handle, owner: Arc::clone(&self.owner), memory: PhantomData }
    }

    /// The model's numbers.
    pub fn info(&self) -> Result<ModelFacts> {
        let mut raw: raw::rondo_model_facts = unsafe { MaybeUninit::zeroed().assume_init() };
        raw.struct_size = size_of::<raw::rondo_model_facts>() as u32;
        check(unsafe { raw::rondo_model_info(self.handle, &mut raw) })?;
        Ok(unsafe { ModelFacts::of(&raw) })
    }

    /// The tokens that end a generation.
    pub fn eos_tokens(&self) -> Result<Vec<i32>> {
        let token = |index| {
            let mut token = 0;
            check(unsafe { raw::rondo_model_eos_token(self.handle, index, &mut token) })?;
            Ok(token)
        };
        (0..self.info()?.n_eos_tokens).map(token).collect()
    }

    /// What the file's maker wrote about it: "name", "architecture", "producer" and others.
    pub fn fact(&self, key: &str) -> Result<String> {
        let key = c_string(key)?;
        text_output(|buffer, capacity, length| unsafe {
            raw::rondo_model_fact(self.handle, key.as_ptr(), buffer, capacity, length)
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
                call(self.handle, index, buffer, capacity, length)
            }) {
                Ok(name) => names.push(name),
                // Behind the last one.
                Err(Error { status: Status::INVALID_ARGUMENT, .. }) => return Ok(names),
                Err(error) => return Err(error),
            }
        }
    }

    /// The Jinja text of the chat template of this name.
    pub fn chat_template(&self, name: &str) -> Result<String> {
        let name = c_string(name)?;
        text_output(|buffer, capacity, length| unsafe {
            raw::rondo_model_chat_template(self.handle, name.as_ptr(), buffer, capacity, length)
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
                    self.handle,
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
        text_output(|buffer, capacity, length| unsafe {
            raw::rondo_detokenize(
                self.handle,
                ids.as_ptr(),
                ids.len(),
                flags,
                buffer,
                capacity,
                length,
            )
        })
    }

    /// What an engine with these options will take, to the byte.
    pub fn plan(&self, options: &EngineOptions<'_>) -> Result<MemoryPlan> {
        let (options, _kernels) = options.raw()?;
        let mut raw: raw::rondo_memory_plan = unsafe { MaybeUninit::zeroed().assume_init() };
        raw.struct_size = size_of::<raw::rondo_memory_plan>() as u32;
        check_message(|message, bytes| unsafe {
            raw::rondo_plan(self.handle, &options, &mut raw, message, bytes)
        })?;
        Ok(unsafe { MemoryPlan::of(&raw) })
    }

    /// The parts of that plan, lowest address first.
    pub fn plan_regions(&self, options: &EngineOptions<'_>) -> Result<Vec<MemoryRegion>> {
        let n = self.plan(options)?.n_regions;
        let (options, _kernels) = options.raw()?;
        let region = |index| {
            let mut raw: raw::rondo_memory_region = unsafe { MaybeUninit::zeroed().assume_init() };
            raw.struct_size = size_of::<raw::rondo_memory_region>() as u32;
            check(unsafe { raw::rondo_plan_region(self.handle, &options, index, &mut raw) })?;
            Ok(unsafe { MemoryRegion::of(&raw) })
        };
        (0..n).map(region).collect()
    }

    /// The largest context whose plan fits into so many bytes.
    pub fn plan_fit(&self, bytes: u64, options: &EngineOptions<'_>) -> Result<u32> {
        let (options, _kernels) = options.raw()?;
        let mut context = 0;
        check_message(|message, message_bytes| unsafe {
            raw::rondo_plan_fit(self.handle, &options, bytes, &mut context, message, message_bytes)
        })?;
        Ok(context)
    }

    /// The bytes that the grammar of this schema takes.
    pub fn plan_grammar(&self, schema: &str, options: &GrammarOptions) -> Result<u64> {
        Grammar::plan(self, GrammarKind::JSON_SCHEMA, schema, options)
    }

    /// The bytes that the grammar of this pattern takes.
    pub fn plan_pattern_grammar(&self, pattern: &str, options: &GrammarOptions) -> Result<u64> {
        Grammar::plan(self, GrammarKind::PATTERN, pattern, options)
    }

    /// The bytes that the grammar of these rules takes.
    pub fn plan_rules_grammar(&self, gbnf: &str, options: &GrammarOptions) -> Result<u64> {
        Grammar::plan(self, GrammarKind::GBNF, gbnf, options)
    }

    /// Makes the model runnable, in memory of the system's.
    pub fn engine(&self, options: &mut EngineOptions<'_>) -> Result<Engine<'m>> {
        Engine::create(self, options, ptr::null_mut(), 0)
    }

    /// Makes the model runnable in the caller's memory, of the plan's size and alignment.
    pub fn engine_in(
        &self,
        options: &mut EngineOptions<'_>,
        arena: &'m mut [MaybeUninit<u8>],
    ) -> Result<Engine<'m>> {
        Engine::create(self, options, arena.as_mut_ptr().cast(), arena.len())
    }
}
