//! Embedding: texts as vectors, pairs as scores.
use crate::callbacks::calling;
use crate::calls::{lock, numbered};
use crate::error::{c_string, check, check_message, explained, text_output};
use crate::turns::Turns;
use crate::{raw, EmbedderFacts, Engine, Model, Result, Session, SessionOptions, Status};
use std::ffi::{CStr, CString};
use std::ptr;

impl Model {
    /// What the model makes of texts; `dimensions` 0: it predicts tokens instead.
    pub fn embedder(&self) -> Result<EmbedderFacts> {
        EmbedderFacts::filled(|facts| {
            check(unsafe { raw::rondo_model_embedder(self.handle(), facts) })
        })
    }

    /// The names of the prompts that [`Model::embedding_text`] takes.
    pub fn prompts(&self) -> Result<Vec<String>> {
        self.names(raw::rondo_model_prompt_name)
    }

    /// What the model reads of a text: it behind the prompt of this name. None: the model's usual
    /// one; "": none. For [`Model::tokenize`].
    pub fn embedding_text(&self, text: &str, prompt: Option<&str>) -> Result<String> {
        let absent = format!("the model has no prompt named {:?}", prompt.unwrap_or_default());
        let prompt = prompt.map(c_string).transpose()?;
        let read = text_output(|buffer, capacity, length| unsafe {
            raw::rondo_embedding_text(
                self.handle(),
                pointer(&prompt),
                text.as_ptr().cast(),
                text.len(),
                buffer,
                capacity,
                length,
            )
        });
        let none = "the model makes no vectors of texts";
        explained(read, &[(Status::InvalidArgument, &absent), (Status::Unsupported, none)])
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
        let read = text_output(|buffer, capacity, length| unsafe {
            raw::rondo_pair_text(
                self.handle(),
                pointer(&instruction),
                query.as_ptr().cast(),
                query.len(),
                document.as_ptr().cast(),
                document.len(),
                buffer,
                capacity,
                length,
            )
        });
        let between = "the query has the token that stands between the two texts";
        let none = "the model scores no pairs";
        explained(read, &[(Status::InvalidArgument, between), (Status::Unsupported, none)])
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

impl Session {
    /// The vector of a text, given as ids, or the score of a pair, which is one number: the first
    /// `dimensions` numbers of it; None: all. The session has no tokens behind the call.
    /// [`Engine::embed`] does it with texts.
    pub fn embed_ids(&mut self, ids: &[i32], dimensions: Option<usize>) -> Result<Vec<f32>> {
        let (asked, room) = self.model().numbers(dimensions)?;
        let mut vector = vec![0.0; room];
        let to = vector.as_mut_ptr();
        self.compute(|session| unsafe {
            raw::rondo_session_embed(session, ids.as_ptr(), ids.len(), to, asked)
        })?;
        Ok(vector)
    }
}

impl Engine {
    /// One vector per text, in their order. `prompt`: for which purpose, one of [`Model::prompts`];
    /// None: the model's usual one. It opens as many sessions as the engine has places for, which
    /// share the work. Fails with [`Status::Unsupported`] where the model predicts tokens, and with
    /// [`Status::ContextFull`] where a text is too long.
    ///
    /// ```no_run
    /// # fn main() -> rondo::Result<()> {
    /// # let engine = rondo::Model::open("embedder.rondo")?.engine(&Default::default())?;
    /// let question = engine.embed(&["Where does the sun rise?"], "query")?;
    /// let documents = engine.embed(&["In the east.", "At noon."], "document")?;
    /// # let _ = (question, documents);
    /// # Ok(())
    /// # }
    /// ```
    pub fn embed<'p>(
        &self,
        texts: &[impl AsRef<str>],
        prompt: impl Into<Option<&'p str>>,
    ) -> Result<Vec<Vec<f32>>> {
        let (model, prompt) = (self.model(), prompt.into());
        let read = |text: &str| model.tokenize(&model.embedding_text(text, prompt)?, true);
        let ids: Result<Vec<_>> = texts.iter().map(|text| read(text.as_ref())).collect();
        self.embed_in_places(&ids?)
    }

    /// How well each document fits the query, of models that score pairs: from 0 to 1 as a rule.
    pub fn score(&self, query: &str, documents: &[impl AsRef<str>]) -> Result<Vec<f32>> {
        let model = self.model();
        let read = |document: &str| model.tokenize(&model.pair_text(query, document, None)?, true);
        let ids: Result<Vec<_>> = documents.iter().map(|one| read(one.as_ref())).collect();
        Ok(self.embed_in_places(&ids?)?.concat())
    }

    fn embed_in_places(&self, texts: &[Vec<i32>]) -> Result<Vec<Vec<f32>>> {
        let places = self.memory()?.max_sessions as usize;
        let _places = lock(self.embedding());
        let mut sessions = Vec::new();
        while sessions.len() < places.min(texts.len()) {
            match self.session(&SessionOptions::default()) {
                Ok(session) => sessions.push(session),
                Err(error) if error.status() == Status::Busy && !sessions.is_empty() => break,
                Err(error) => return Err(error),
            }
        }
        if sessions.is_empty() {
            return Ok(Vec::new()); // there is no text
        }
        self.embed_ids(&mut sessions.iter_mut().collect::<Vec<_>>(), texts, None)
    }

    /// One vector per text, each as [`Session::embed_ids`] makes it. The sessions share the work: each
    /// takes one text, and the next when it is done with it. Where a text is refused, the message
    /// tells which.
    pub fn embed_ids(
        &self,
        sessions: &mut [&mut Session],
        texts: &[impl AsRef<[i32]>],
        dimensions: Option<usize>,
    ) -> Result<Vec<Vec<f32>>> {
        let (asked, room) = self.model().numbers(dimensions)?;
        let _turns = Turns::of(sessions);
        let handles: Vec<_> = sessions.iter().map(|session| session.handle()).collect();
        let counts: Vec<_> = texts.iter().map(|text| text.as_ref().len()).collect();
        let ids: Vec<i32> = texts.iter().flat_map(|text| text.as_ref()).copied().collect();
        let mut vectors = vec![0.0; room * texts.len()];
        let embed = || {
            check_message(|message, bytes| unsafe {
                raw::rondo_engine_embed(
                    self.handle(),
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
            })
        };
        match sessions.first() {
            Some(first) => numbered(first.shared.handle(), || calling(embed)),
            None => calling(embed),
        }?;
        Ok(vectors.chunks_exact(room.max(1)).map(<[f32]>::to_vec).collect())
    }
}
