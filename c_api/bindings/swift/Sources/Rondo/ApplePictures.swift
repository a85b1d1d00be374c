// Pictures as Apple's frameworks have them: try Picture.with(frame) { try Media(engine, $0) }
#if canImport(CoreGraphics)
  import CoreGraphics

  extension Picture {
    /// Calls `use` with what is drawn of a CGImage in sRGB. Where it is not opaque, it is over black.
    public static func with<T>(_ picture: CGImage, _ use: (Picture) throws -> T) throws -> T {
      let (width, height) = (picture.width, picture.height)
      var pixels = [UInt8](repeating: 0, count: 4 * width * height)
      return try pixels.withUnsafeMutableBytes { bytes in
        guard let space = CGColorSpace(name: CGColorSpace.sRGB),
          let context = CGContext(
            data: bytes.baseAddress, width: width, height: height, bitsPerComponent: 8,
            bytesPerRow: 4 * width, space: space,
            bitmapInfo: CGImageAlphaInfo.noneSkipLast.rawValue)
        else { throw refused("a picture of \(width) x \(height) pixels cannot be drawn") }
        context.draw(picture, in: CGRect(x: 0, y: 0, width: width, height: height))
        return try use(Picture(.rgba8, width: width, height: height, UnsafeRawBufferPointer(bytes)))
      }
    }
  }
#endif

#if canImport(CoreVideo)
  import CoreVideo
  import Foundation

  extension Picture {
    /// Calls `use` with a camera's or a video's frame, which is not copied and is locked meanwhile.
    /// Of kCVPixelFormatType_32BGRA, _OneComponent8, or _420YpCbCr8BiPlanarVideoRange or -FullRange.
    public static func with<T>(_ frame: CVPixelBuffer, _ use: (Picture) throws -> T) throws -> T {
      let width = CVPixelBufferGetWidth(frame), height = CVPixelBufferGetHeight(frame)
      var image: Picture
      switch CVPixelBufferGetPixelFormatType(frame) {
      case kCVPixelFormatType_32BGRA: image = Picture(.bgra8, width: width, height: height)
      case kCVPixelFormatType_OneComponent8: image = Picture(.gray8, width: width, height: height)
      case kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange:
        image = Picture(.nv12, width: width, height: height)
      case kCVPixelFormatType_420YpCbCr8BiPlanarFullRange:
        image = Picture(.nv12, width: width, height: height)
        image.yuvRange = .full
      case let other: throw refused("a frame of the pixel format \(other) is not known")
      }
      let matrix = CVBufferCopyAttachment(frame, kCVImageBufferYCbCrMatrixKey, nil)
      if matrix as? String == kCVImageBufferYCbCrMatrix_ITU_R_709_2 as String {
        image.yuvMatrix = .bt709
      }
      guard CVPixelBufferLockBaseAddress(frame, .readOnly) == kCVReturnSuccess else {
        throw refused("the frame cannot be locked")
      }
      defer { CVPixelBufferUnlockBaseAddress(frame, .readOnly) }
      func add(_ base: UnsafeMutableRawPointer?, _ stride: Int, _ rows: Int) {
        image.planes.append(UnsafeRawBufferPointer(start: base, count: base == nil ? 0 : stride * rows))
        image.strides.append(stride)
      }
      if CVPixelBufferIsPlanar(frame) {
        for plane in 0..<CVPixelBufferGetPlaneCount(frame) {
          add(
            CVPixelBufferGetBaseAddressOfPlane(frame, plane),
            CVPixelBufferGetBytesPerRowOfPlane(frame, plane),
            CVPixelBufferGetHeightOfPlane(frame, plane))
        }
      } else {
        add(CVPixelBufferGetBaseAddress(frame), CVPixelBufferGetBytesPerRow(frame), height)
      }
      return try use(image)
    }
  }
#endif
