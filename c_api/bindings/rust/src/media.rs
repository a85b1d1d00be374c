//! Media: pictures as rows among tokens, of models that see.
use crate::callbacks::{reported, unreported, Progress};
use crate::engine_options::setters;
use crate::error::{check, check_message};
use crate::{raw, Engine, Image, ImageFacts, Model, Result, Session};
use std::fmt;
use std::mem::{size_of, zeroed};
use std::ops::ControlFlow;
use std::ptr;
use std::sync::Arc;

/// How a picture is looked at. What is 0 is the default.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ImageOptions {
    /// Rows of the picture in the text, of families in which they follow from its size: at least
    /// about so many.
    pub min_tokens: u32,
    /// At most about so many.
    pub max_tokens: u32,
    /// True: the picture is not cut into tiles, where the family does.
    pub one_tile: bool,
}

impl ImageOptions {
    setters! { min_tokens: u32, max_tokens: u32, one_tile: bool }

    fn raw(&self) -> Result<raw::rondo_image_options> {
        let mut raw: raw::rondo_image_options = unsafe { zeroed() };
        let size = size_of::<raw::rondo_image_options>();
        check(unsafe { raw::rondo_image_options_init(&mut raw, size) })?;
        raw.min_tokens = self.min_tokens;
        raw.max_tokens = self.max_tokens;
        raw.one_tile = u32::from(self.one_tile);
        Ok(raw)
    }
}

/// A picture as an engine's rows. Made by [`Engine::media`]. Clones are the same, and any number of
/// sessions of the engine share it; they keep the rows that they have.
#[derive(Clone)]
pub struct Media(Arc<Owner>);

struct Owner {
    handle: *mut raw::rondo_media,
    _engine: Engine,
}

// Every function of media is [any thread].
unsafe impl Send for Owner {}
unsafe impl Sync for Owner {}

impl Drop for Owner {
    fn drop(&mut self) {
        unsafe { raw::rondo_media_close(self.handle) }
    }
}

impl fmt::Debug for Media {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = self.info().map(|facts| facts.rows).ok();
        f.debug_struct("Media").field("rows", &rows).finish_non_exhaustive()
    }
}

impl Media {
    /// What became of the picture.
    pub fn info(&self) -> Result<ImageFacts> {
        ImageFacts::filled(|facts| check(unsafe { raw::rondo_media_info(self.0.handle, facts) }))
    }
}

impl Model {
    /// What becomes of a picture of this size, upright, without a pixel and without an engine.
    pub fn image_plan(
        &self,
        width: u32,
        height: u32,
        options: &ImageOptions,
    ) -> Result<ImageFacts> {
        let options = options.raw()?;
        ImageFacts::filled(|facts| {
            check_message(|message, bytes| unsafe {
                raw::rondo_image_plan(self.handle(), width, height, &options, facts, message, bytes)
            })
        })
    }
}

impl Engine {
    /// Encodes a picture, between the passes of sessions. For engines with
    /// [`crate::EngineOptions::max_media_rows`].
    pub fn media(&self, image: &Image<'_>, options: &ImageOptions) -> Result<Media> {
        self.encode(image, options, None)
    }

    /// The same, and tells how far it is. [`ControlFlow::Break`] cancels it.
    pub fn media_with_progress(
        &self,
        image: &Image<'_>,
        options: &ImageOptions,
        mut told: impl FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<Media> {
        self.encode(image, options, Some(&mut told))
    }

    fn encode(
        &self,
        image: &Image<'_>,
        options: &ImageOptions,
        progress: Option<Progress<'_>>,
    ) -> Result<Media> {
        let image = image.raw()?;
        let mut raw = options.raw()?;
        let mut handle = ptr::null_mut();
        let create = |report, user| {
            raw.progress = report;
            raw.progress_user = user;
            check_message(|message, bytes| unsafe {
                raw::rondo_media_create(self.handle(), &image, &raw, &mut handle, message, bytes)
            })
        };
        match progress {
            Some(progress) => reported(progress, create),
            None => unreported(create),
        }?;
        Ok(Media(Arc::new(Owner { handle, _engine: self.clone() })))
    }
}

impl Session {
    /// Queues `ids`, of which each that is [`crate::ModelFacts::picture_token`] stands for the next
    /// of `media`. Chat templates write that token where a message has a part `{"type": "image"}`.
    pub fn append_media(&mut self, ids: &[i32], media: &[&Media]) -> Result<()> {
        let handles: Vec<_> = media.iter().map(|one| one.0.handle).collect();
        self.call(|session| unsafe {
            raw::rondo_session_append_media(
                session,
                ids.as_ptr(),
                ids.len(),
                handles.as_ptr(),
                handles.len(),
            )
        })
    }
}
