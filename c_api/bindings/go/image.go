package rondo

// #include <rondo/rondo.h>
import "C"

import (
	"image"
	"image/draw"
)

// The most pixels of a side, as rondo.h has it.
const most = 65535

// Image is a picture or a camera's frame. All of it is read during Engine.Media only.
type Image struct {
	Format Pixels
	// Width and Height are those of the planes, before the image is turned.
	Width, Height int
	// Planes are one, or Y, and U and V in turn, or Y, U and V, as Format has it.
	Planes [3][]byte
	// Strides are bytes from a row of a plane to the next; 0: those of its pixels.
	Strides [3]int
	// Rotation are degrees by which it is turned clockwise to be upright: 0, 90, 180 or 270.
	Rotation int
	// Mirror: then left and right change places.
	Mirror bool
	Range  YUVRange
	Matrix YUVMatrix
}

// ImageOf is a picture of the standard library's: without a copy where it is a *image.Gray, an
// *image.NRGBA, an opaque *image.RGBA or, as of most JPEG files, an *image.YCbCr of 4:2:0. What else
// there is becomes NRGBA first. Its metadata, such as a rotation in EXIF, is not looked at.
func ImageOf(picture image.Image) Image {
	bounds := picture.Bounds()
	one := Image{Width: bounds.Dx(), Height: bounds.Dy()}
	plane := func(format Pixels, pixels []byte, stride int) Image {
		one.Format, one.Planes[0], one.Strides[0] = format, pixels, stride
		return one
	}
	switch p := picture.(type) {
	case *image.Gray:
		return plane(PixelsGray8, p.Pix, p.Stride)
	case *image.NRGBA:
		return plane(PixelsRGBA8, p.Pix, p.Stride)
	case *image.RGBA:
		if p.Opaque() { // else alpha is in its colours
			return plane(PixelsRGBA8, p.Pix, p.Stride)
		}
	case *image.YCbCr:
		// From an odd place on, pairs of pixels would not share what they share in the picture.
		even := bounds.Min.X%2 == 0 && bounds.Min.Y%2 == 0
		if p.SubsampleRatio == image.YCbCrSubsampleRatio420 && even {
			one.Format, one.Range, one.Matrix = PixelsI420, YUVFull, YUVBT601
			one.Planes = [3][]byte{p.Y, p.Cb, p.Cr}
			one.Strides = [3]int{p.YStride, p.CStride, p.CStride}
			return one
		}
	}
	converted := image.NewNRGBA(image.Rect(0, 0, bounds.Dx(), bounds.Dy()))
	draw.Draw(converted, converted.Bounds(), picture, bounds.Min, draw.Src)
	return plane(PixelsRGBA8, converted.Pix, converted.Stride)
}

// The bytes of a plane's rows, and their number; 0: the format has no such plane.
func (i *Image) shape(plane int) (rowBytes, rows uint64) {
	width, height := uint64(i.Width), uint64(i.Height)
	halfWidth, halfHeight := (width+1)/2, (height+1)/2
	switch {
	case i.Format == PixelsRGB8 && plane == 0:
		return 3 * width, height
	case (i.Format == PixelsRGBA8 || i.Format == PixelsBGRA8) && plane == 0:
		return 4 * width, height
	case i.Format >= PixelsGray8 && i.Format <= PixelsI420 && plane == 0:
		return width, height
	case (i.Format == PixelsNV12 || i.Format == PixelsNV21) && plane == 1:
		return 2 * halfWidth, halfHeight
	case i.Format == PixelsI420:
		return halfWidth, halfHeight
	}
	return 0, 0
}

// Without planes, which are as long as the library reads them where there is no error.
func (i *Image) raw() (C.rondo_image, error) {
	if i.Width < 0 || i.Height < 0 || i.Width > most || i.Height > most {
		return C.rondo_image{}, refused("the image is %d x %d; each is 1 to %d", i.Width, i.Height, most)
	}
	if i.Rotation < 0 || i.Rotation > most {
		return C.rondo_image{}, refused("Rotation is %d; it may be 0, 90, 180 or 270", i.Rotation)
	}
	for plane, bytes := range i.Planes {
		if i.Strides[plane] < 0 {
			return C.rondo_image{}, refused("the stride of plane %d is %d", plane, i.Strides[plane])
		}
		rowBytes, rows := i.shape(plane)
		if plane > 0 && rows == 0 && i.Height > 0 && (len(bytes) > 0 || i.Strides[plane] > 0) {
			return C.rondo_image{}, refused("plane %d is given, which %v has not", plane, i.Format)
		}
		stride, has := uint64(i.Strides[plane]), uint64(len(bytes))
		if stride == 0 {
			stride = rowBytes
		}
		if rows > 0 && (has < rowBytes || rows > 1 && stride > (has-rowBytes)/(rows-1)) {
			return C.rondo_image{}, refused(
				"plane %d of the image has %d bytes, too few for %d rows, %d bytes apart, of %d",
				plane, has, rows, stride, rowBytes)
		}
	}
	return C.rondo_image{struct_size: C.sizeof_rondo_image, format: C.int32_t(i.Format),
		width: C.uint32_t(i.Width), height: C.uint32_t(i.Height),
		stride0: C.size_t(i.Strides[0]), stride1: C.size_t(i.Strides[1]),
		stride2: C.size_t(i.Strides[2]), rotation: C.uint32_t(i.Rotation),
		mirror: cBool(i.Mirror), yuv_range: C.int32_t(i.Range), yuv_matrix: C.int32_t(i.Matrix)}, nil
}
