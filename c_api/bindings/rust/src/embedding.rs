//! Embedding: texts as vectors, pairs as scores.
use crate::error::{c_string, check, check_message, text_output};
use crate::{raw, EmbedderFacts, Engine, Model, Result, Session};
use std::ffi::{CStr, CString};
use std::mem::{size_of, MaybeUninit};
use std::ptr;

impl<'m> Model<'m> {
    /// What the model makes of texts; `dimensions` 0: it predicts tokens instead.
    pub fn embedder(&self) -> Result<EmbedderFacts> {
        let mut raw: raw::rondo_embedder_facts = unsafe { MaybeUninit::zeroed().assume_init() };
        raw.struct_size = size_of::<raw::rondo_embedder_facts>() as u32;
        check(unsafe { raw::rondo_model_embedder(self.handle, &mut raw) })?;
        Ok(unsafe { EmbedderFacts::of(&raw) })
    }

    /// The names of the prompts that [`Model::embedding_text`] takes.
    pub fn prompts(&self) -> Result<Vec<String>> {
        self.names(raw::rondo_model_prompt_name)
    }

    /// What the model reads of a text: it behind the prompt of this name. None: the model's usual
    /// one; "": none. For [`Model::tokenize`].
    pub fn embedding_text(&self, text: &str, prompt: Option<&str>) -> Result<String> {
        let prompt = prompt.map(c_string).transpose()?;
        text_output(|buffer, capacity, length| unsafe {
            raw::rondo_embedding_text(
                self.handle,
                pointer(&prompt),
                text.as_ptr().cast(),
                text.len(),
                buffer,
                capacity,
                length,
            )
        })
    }

    /// What a model that scores pairs reads of one. `instruction`: what makes a document fit, in
    /// words; None: the model's usual one. For [`Model::tokenize`].
    pub fn pair_text(
        &self,
        query: &str,
        document: &str,
        instruction: Option<&str>,
    ) -> Result<String> {
        let instruction = instruction.map(c_string).transpose()?;
        text_output(|buffer, capacity, length| unsafe {
            raw::rondo_pair_text(
                self.handle,
                pointer(&instruction),
                query.as_ptr().cast(),
                query.len(),
                document.as_ptr().cast(),
                document.len(),
                buffer,
                capacity,
                length,
            )
        })
    }

    /// How many numbers are asked for, and for how many there is room: what is more than the model
    /// has is refused before anything is written.
    fn numbers(&self, dimensions: Option<usize>) -> Result<(usize, usize)> {
        let all = self.embedder()?.dimensions as usize;
        let asked = dimensions.unwrap_or(all);
        Ok((asked, asked.min(all)))
    }
}

fn pointer(text: &Option<CString>) -> *const std::os::raw::c_char {
    text.as_deref().map_or(ptr::null(), CStr::as_ptr)
}

impl Session<'_> {
    /// The vector of a text, given as ids, or the score of a pair, which is one number: the first
    /// `dimensions` numbers of it; None: all. The session has no tokens behind the call. Fails with
    /// [`crate::Status::UNSUPPORTED`] where the model predicts tokens, and with
    /// [`crate::Status::CONTEXT_FULL`] where the text is too long.
    pub fn embed(&mut self, ids: &[i32], dimensions: Option<usize>) -> Result<Vec<f32>> {
        let (asked, room) = self.model().numbers(dimensions)?;
        let mut vector = vec![0.0; room];
        let to = vector.as_mut_ptr();
        self.check(unsafe {
            raw::rondo_session_embed(self.handle, ids.as_ptr(), ids.len(), to, asked)
        })?;
        Ok(vector)
    }
}

impl Engine<'_> {
    /// One vector per text, in their order, each as [`Session::embed`] makes it. The sessions share
    /// the work: each takes one text, and the next when it is done with it. Where a text is
    /// refused, the message tells which.
    pub fn embed(
        &self,
        sessions: &mut [&mut Session<'_>],
        texts: &[impl AsRef<[i32]>],
        dimensions: Option<usize>,
    ) -> Result<Vec<Vec<f32>>> {
        let (asked, room) = self.model.numbers(dimensions)?;
        let handles: Vec<_> = sessions.iter().map(|session| session.handle).collect();
        let counts: Vec<_> = texts.iter().map(|text| text.as_ref().len()).collect();
        let ids: Vec<i32> = texts.iter().flat_map(|text| text.as_ref()).copied().collect();
        let mut vectors = vec![0.0; room * texts.len()];
        check_message(|message, bytes| unsafe {
            raw::rondo_engine_embed(
                self.handle,
                handles.as_ptr(),
                handles.len(),
                ids.as_ptr(),
                counts.as_ptr(),
                counts.len(),
                vectors.as_mut_ptr(),
                asked,
                message,
                bytes,
            )
        })?;
        Ok(vectors.chunks_exact(room.max(1)).map(<[f32]>::to_vec).collect())
    }
}
