//! Images: pictures and camera frames, as the caller has them.
use crate::engine_options::setters;
use crate::{raw, Error, Pixels, Result, YuvMatrix, YuvRange};
use std::mem::size_of;

/// A picture or a camera's frame, borrowed. For [`crate::Engine::media`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Image<'a> {
    /// What the planes hold.
    pub format: Pixels,
    /// Of the planes, before the image is turned.
    pub width: u32,
    /// Likewise.
    pub height: u32,
    /// One of pixels, or Y, and U and V in turn, or Y, U and V, as the format has it.
    pub planes: [&'a [u8]; 3],
    /// Bytes from a row of a plane to the next; 0: those of its pixels.
    pub strides: [usize; 3],
    /// Degrees by which it is turned clockwise to be upright: 0, 90, 180 or 270.
    pub rotation: u32,
    /// Then left and right change places.
    pub mirror: bool,
    /// Of Y, U and V.
    pub range: YuvRange,
    /// Of Y, U and V.
    pub matrix: YuvMatrix,
}

impl<'a> Image<'a> {
    /// An upright image whose rows lie one behind another. `planes`: as many as the format has.
    pub fn new(format: Pixels, width: u32, height: u32, planes: &[&'a [u8]]) -> Self {
        let plane = |i| planes.get(i).copied().unwrap_or_default();
        Image {
            format,
            width,
            height,
            planes: [plane(0), plane(1), plane(2)],
            strides: [0; 3],
            rotation: 0,
            mirror: false,
            range: YuvRange::Video,
            matrix: YuvMatrix::Bt601,
        }
    }

    setters! {
        strides: [usize; 3], rotation: u32, mirror: bool, range: YuvRange, matrix: YuvMatrix,
    }

    /// The bytes of a plane's rows, and their number; 0: the format has no such plane.
    fn shape(&self, plane: usize) -> (usize, usize) {
        let (width, height) = (self.width as usize, self.height as usize);
        let (half_width, half_height) = (width / 2 + width % 2, height / 2 + height % 2);
        match (self.format, plane) {
            (Pixels::Rgb8, 0) => (width.saturating_mul(3), height),
            (Pixels::Rgba8 | Pixels::Bgra8, 0) => (width.saturating_mul(4), height),
            (Pixels::Gray8 | Pixels::Nv12 | Pixels::Nv21 | Pixels::I420, 0) => (width, height),
            (Pixels::Nv12 | Pixels::Nv21, 1) => (half_width.saturating_mul(2), half_height),
            (Pixels::I420, 1 | 2) => (half_width, half_height),
            _ => (0, 0),
        }
    }

    /// Refused where a plane is shorter than what the library reads of it.
    fn check(&self, plane: usize) -> Result<()> {
        let (row_bytes, rows) = self.shape(plane);
        let given = !self.planes[plane].is_empty() || self.strides[plane] > 0;
        if plane > 0 && rows == 0 && self.height > 0 && given {
            return Err(Error::argument(format!(
                "plane {} is given, which {:?} has not",
                plane, self.format
            )));
        }
        let stride = if self.strides[plane] == 0 { row_bytes } else { self.strides[plane] };
        let last = stride.checked_mul(rows.saturating_sub(1));
        let bytes = last.and_then(|bytes| bytes.checked_add(row_bytes));
        let has = self.planes[plane].len();
        if rows == 0 || bytes.map_or(false, |bytes| bytes <= has) {
            return Ok(());
        }
        Err(Error::argument(format!(
            "plane {} of the image has {} bytes, too few for {} rows, {} bytes apart, of {}",
            plane, has, rows, stride, row_bytes
        )))
    }

    pub(crate) fn raw(&self) -> Result<raw::rondo_image> {
        (0..self.planes.len()).try_for_each(|plane| self.check(plane))?;
        Ok(raw::rondo_image {
            struct_size: size_of::<raw::rondo_image>() as u32,
            format: self.format.code(),
            width: self.width,
            height: self.height,
            plane0: self.planes[0].as_ptr().cast(),
            plane1: self.planes[1].as_ptr().cast(),
            plane2: self.planes[2].as_ptr().cast(),
            stride0: self.strides[0],
            stride1: self.strides[1],
            stride2: self.strides[2],
            rotation: self.rotation,
            mirror: u32::from(self.mirror),
            yuv_range: self.range.code(),
            yuv_matrix: self.matrix.code(),
        })
    }
}
