//! Media: pictures as rows among tokens, of models that see.
use crate::error::{check, check_message};
use crate::options::setters;
use crate::progress::{reported, Progress};
use crate::{raw, Engine, Image, ImageFacts, Model, Result, Session};
use std::marker::PhantomData;
use std::mem::{size_of, MaybeUninit};
use std::ptr;
use std::sync::Arc;

/// rondo_image_options. What is 0 is the default.
#[allow(missing_docs)]
#[derive(Default)]
#[non_exhaustive]
pub struct ImageOptions<'p> {
    /// Rows of the picture in the text, of families in which they follow from its size: at least and
    /// at most about so many.
    pub min_tokens: u32,
    pub max_tokens: u32,
    /// True: the picture is not cut into tiles, where the family does.
    pub one_tile: bool,
    progress: Option<Progress<'p>>,
}

impl<'p> ImageOptions<'p> {
    setters! { min_tokens: u32, max_tokens: u32, one_tile: bool }

    /// Told how far [`Engine::media`] is. False cancels it.
    pub fn progress(mut self, told: impl FnMut(u64, u64) -> bool + 'p) -> Self {
        self.progress = Some(Box::new(told));
        self
    }

    /// Without `progress`.
    fn raw(&self) -> Result<raw::rondo_image_options> {
        let mut raw: raw::rondo_image_options = unsafe { MaybeUninit::zeroed().assume_init() };
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
#[derive(Clone, Debug)]
pub struct Media<'m> {
    owner: Arc<Owner>,
    memory: PhantomData<&'m [u8]>, // the engine's, which it holds
}

#[derive(Debug)]
struct Owner(*mut raw::rondo_media);

// Every function of media is [any thread].
unsafe impl Send for Owner {}
unsafe impl Sync for Owner {}

impl Drop for Owner {
    fn drop(&mut self) {
        unsafe { raw::rondo_media_close(self.0) }
    }
}

fn facts(call: impl FnOnce(*mut raw::rondo_image_facts) -> Result<()>) -> Result<ImageFacts> {
    let mut raw: raw::rondo_image_facts = unsafe { MaybeUninit::zeroed().assume_init() };
    raw.struct_size = size_of::<raw::rondo_image_facts>() as u32;
    call(&mut raw)?;
    Ok(unsafe { ImageFacts::of(&raw) })
}

impl Media<'_> {
    /// What became of the picture.
    pub fn info(&self) -> Result<ImageFacts> {
        facts(|raw| check(unsafe { raw::rondo_media_info(self.owner.0, raw) }))
    }
}

impl Model<'_> {
    /// What becomes of a picture of this size, upright, without a pixel and without an engine.
    pub fn image_plan(
        &self,
        width: u32,
        height: u32,
        options: &ImageOptions<'_>,
    ) -> Result<ImageFacts> {
        let options = options.raw()?;
        facts(|raw| {
            check_message(|message, bytes| unsafe {
                raw::rondo_image_plan(self.handle, width, height, &options, raw, message, bytes)
            })
        })
    }
}

impl<'m> Engine<'m> {
    /// Encodes a picture, between the passes of sessions. For engines with
    /// [`crate::EngineOptions::max_media_rows`].
    pub fn media(&self, image: &Image<'_>, options: &mut ImageOptions<'_>) -> Result<Media<'m>> {
        let image = image.raw()?;
        let mut raw = options.raw()?;
        let mut handle = ptr::null_mut();
        reported(options.progress.as_mut(), |report, user| {
            raw.progress = report;
            raw.progress_user = user;
            check_message(|message, bytes| unsafe {
                raw::rondo_media_create(self.handle, &image, &raw, &mut handle, message, bytes)
            })
        })?;
        Ok(Media { owner: Arc::new(Owner(handle)), memory: PhantomData })
    }
}

impl Session<'_> {
    /// Queues `ids`, of which each that is [`crate::ModelFacts::picture_token`] stands for the next
    /// of `media`. Chat templates write that token where a message has a part `{"type": "image"}`.
    pub fn append_media(&mut self, ids: &[i32], media: &[&Media<'_>]) -> Result<()> {
        let handles: Vec<_> = media.iter().map(|one| one.owner.0).collect();
        self.check(unsafe {
            raw::rondo_session_append_media(
                self.handle,
                ids.as_ptr(),
                ids.len(),
                handles.as_ptr(),
                handles.len(),
            )
        })
    }
}
