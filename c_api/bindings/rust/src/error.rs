//! Statuses into errors.
use crate::{raw, Status};
use std::ffi::{CStr, CString};
use std::fmt;
use std::os::raw::c_char;
use std::sync::Arc;

/// A call that failed: what kind of failure, and one sentence.
#[derive(Clone, Debug)]
pub struct Error {
    status: Status,
    message: String,
    source: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

/// What this crate's functions return.
pub type Result<T> = std::result::Result<T, Error>;

/// What a failure is about: the group of its [`Status`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// What the caller passed in.
    Arguments,
    /// The model's file, or a snapshot.
    File,
    /// Memory.
    Memory,
    /// A running session.
    Session,
    /// The library itself: please report.
    Internal,
    /// Of a newer library.
    Other,
}

impl Status {
    /// The group that it belongs to, also of one that this crate does not know.
    pub fn kind(self) -> ErrorKind {
        match self.code() >> 4 {
            1 => ErrorKind::Arguments,
            2 => ErrorKind::File,
            3 => ErrorKind::Memory,
            4 => ErrorKind::Session,
            5 => ErrorKind::Internal,
            _ => ErrorKind::Other,
        }
    }
}

/// What it means, in a few English words.
impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&words(self.code()))
    }
}

fn words(code: i32) -> String {
    unsafe { CStr::from_ptr(raw::rondo_status_string(code)) }.to_string_lossy().into_owned()
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn std::error::Error + 'static))
    }
}

/// Options that are called otherwise here than in C.
const RENAMED: [(&str, &str); 2] = [("stop_strings", "stop"), ("template_text", "template")];

impl Error {
    pub(crate) fn new(status: i32, message: &CStr) -> Error {
        let mut message = message.to_string_lossy().into_owned();
        // Sentences about files have paths in them, which stay as they are.
        if matches!(status, raw::RONDO_STATUS_INVALID_ARGUMENT | raw::RONDO_STATUS_UNSUPPORTED) {
            for (c, here) in RENAMED {
                message = message.replace(c, here);
            }
        }
        let message = if message.is_empty() { words(status) } else { message };
        Error { status: Status::of(status), message, source: None }
    }

    pub(crate) fn argument(message: impl Into<String>) -> Error {
        Error { status: Status::InvalidArgument, message: message.into(), source: None }
    }

    /// A system's error, such as that it starts no more threads.
    pub(crate) fn system(what: &str, source: std::io::Error) -> Error {
        Error {
            status: Status::OutOfMemory,
            message: format!("{}: {}", what, source),
            source: Some(Arc::new(source)),
        }
    }

    /// What kind of failure.
    pub fn status(&self) -> Status {
        self.status
    }

    /// What the failure is about.
    pub fn kind(&self) -> ErrorKind {
        self.status.kind()
    }

    /// One sentence, which [`fmt::Display`] writes, too.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Whether somebody cancelled the call.
    pub fn is_cancelled(&self) -> bool {
        self.status == Status::Cancelled
    }
}

/// For C, which has no zero bytes inside of a text.
pub(crate) fn c_string(text: impl AsRef<[u8]>) -> Result<CString> {
    let text = text.as_ref();
    CString::new(text).map_err(|source| Error {
        status: Status::InvalidArgument,
        message: format!("a zero byte in {:?}", String::from_utf8_lossy(text)),
        source: Some(Arc::new(source)),
    })
}

pub(crate) fn check(status: i32) -> Result<()> {
    match status {
        raw::RONDO_STATUS_OK => Ok(()),
        _ => Err(Error::new(status, Default::default())),
    }
}

/// For calls that end in (message, message_bytes).
pub(crate) fn check_message(call: impl FnOnce(*mut c_char, usize) -> i32) -> Result<()> {
    let mut message = [0 as c_char; 512];
    match call(message.as_mut_ptr(), message.len()) {
        raw::RONDO_STATUS_OK => Ok(()),
        status => Err(Error::new(status, unsafe { CStr::from_ptr(message.as_ptr()) })),
    }
}

/// For calls that end in (buffer, capacity, length): a text of any length.
pub(crate) fn text_output(
    mut call: impl FnMut(*mut c_char, usize, *mut usize) -> i32,
) -> Result<String> {
    let mut buffer = vec![0u8; 256];
    loop {
        let mut length = 0;
        match call(buffer.as_mut_ptr().cast(), buffer.len(), &mut length) {
            raw::RONDO_STATUS_BUFFER_TOO_SMALL => buffer = vec![0; length + 1],
            status => {
                check(status)?;
                buffer.truncate(length);
                return Ok(String::from_utf8_lossy(&buffer).into_owned());
            }
        }
    }
}

/// The outcome of a call that has no sentence of its own, with what a status means there.
pub(crate) fn explained<T>(outcome: Result<T>, sentences: &[(Status, &str)]) -> Result<T> {
    outcome.map_err(|error| match sentences.iter().find(|(status, _)| *status == error.status) {
        Some((_, sentence)) => Error { message: (*sentence).into(), ..error },
        None => error,
    })
}
