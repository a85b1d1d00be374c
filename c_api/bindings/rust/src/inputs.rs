//! Inputs: rows that stand where tokens do.
use crate::{raw, Error, Result, Session};
use std::mem::size_of;
use std::ptr;

/// Token ids, or rows that stand where tokens do. For [`Session::append_inputs`].
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    content: Content<'a>,
    coordinates: Option<&'a [[i32; 3]]>,
    sees_whole: bool,
}

#[derive(Clone, Copy, Debug)]
enum Content<'a> {
    Ids(&'a [i32]),
    Rows(&'a [f32]),
    Bfloat16(&'a [u16]),
}

impl<'a> Input<'a> {
    /// Token ids.
    pub fn ids(ids: &'a [i32]) -> Self {
        Self::of(Content::Ids(ids))
    }

    /// `[count, hidden_size]`, in place of what the model makes of tokens before its first layer.
    pub fn rows(numbers: &'a [f32]) -> Self {
        Self::of(Content::Rows(numbers))
    }

    /// Such rows of bfloat16, the upper halves of float32.
    pub fn bfloat16(numbers: &'a [u16]) -> Self {
        Self::of(Content::Bfloat16(numbers))
    }

    fn of(content: Content<'a>) -> Self {
        Input { content, coordinates: None, sees_whole: false }
    }

    /// What RoPE rotates each row by, counted from where a token in place of the first row would
    /// be. Without them row i has i.
    pub fn coordinates(mut self, of_rows: &'a [[i32; 3]]) -> Self {
        self.coordinates = Some(of_rows);
        self
    }

    /// Each of these rows sees all of them, also those behind it.
    pub fn sees_whole(mut self, whole: bool) -> Self {
        self.sees_whole = whole;
        self
    }

    fn raw(&self, hidden_size: usize) -> std::result::Result<raw::rondo_input, String> {
        let (ids, rows, row_format, numbers, size) = match self.content {
            Content::Ids(ids) => (ids.as_ptr(), ptr::null(), 0, ids.len(), 1),
            Content::Rows(rows) => {
                let start = rows.as_ptr().cast();
                (ptr::null(), start, raw::RONDO_ROWS_FLOAT32, rows.len(), hidden_size)
            }
            Content::Bfloat16(rows) => {
                let start = rows.as_ptr().cast();
                (ptr::null(), start, raw::RONDO_ROWS_BFLOAT16, rows.len(), hidden_size)
            }
        };
        let count = numbers / size;
        if numbers % size != 0 {
            return Err(format!("rows have {} numbers, hidden_size is {}", numbers, hidden_size));
        }
        let coordinates = self.coordinates.map_or(ptr::null(), |of_rows| of_rows.as_ptr().cast());
        match self.coordinates {
            Some(of_rows) if of_rows.len() != count => {
                Err(format!("{} rows have {} coordinates", count, of_rows.len()))
            }
            _ => Ok(raw::rondo_input {
                struct_size: size_of::<raw::rondo_input>() as u32,
                row_format,
                ids,
                rows,
                count,
                coordinates,
                sees_whole: u32::from(self.sees_whole),
                reserved: 0,
            }),
        }
    }
}

impl Session {
    /// Queues inputs, 1 to 64, one behind another. For engines with
    /// [`crate::EngineOptions::max_input_rows`]. The library copies what it keeps.
    pub fn append_inputs(&mut self, inputs: &[Input<'_>]) -> Result<()> {
        let hidden_size = self.model().info()?.hidden_size as usize;
        let mut array = Vec::with_capacity(inputs.len());
        for (i, input) in inputs.iter().enumerate() {
            array.push(
                input
                    .raw(hidden_size)
                    .map_err(|what| Error::argument(format!("input {}: {}", i, what)))?,
            );
        }
        self.call(|session| unsafe {
            raw::rondo_session_append_inputs(session, array.as_ptr(), array.len())
        })
    }
}
