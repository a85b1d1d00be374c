//! Statuses into errors.
use crate::{raw, Status};
use std::ffi::{CStr, CString};
use std::fmt;
use std::os::raw::c_char;

/// A call that failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// What kind of failure.
    pub status: Status,
    /// One sentence.
    pub message: String,
}

/// What this crate's functions return.
pub type Result<T> = std::result::Result<T, Error>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl Error {
    pub(crate) fn new(status: i32, message: &CStr) -> Error {
        let words = unsafe { CStr::from_ptr(raw::rondo_status_string(status)) };
        let message = if message.to_bytes().is_empty() { words } else { message };
        Error { status: Status(status), message: message.to_string_lossy().into_owned() }
    }
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

pub(crate) fn c_string(text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| Error {
        status: Status::INVALID_ARGUMENT,
        message: format!("a zero byte in {:?}", text),
    })
}
