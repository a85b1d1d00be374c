import CRondo

/// rondo_image: a picture or a camera's frame. Its planes are borrowed: make it where they stay, as
/// inside of withUnsafeBytes.
public struct Picture {
  public var format: Pixels
  /// Of the planes, before the image is turned.
  public var width: Int, height: Int
  /// As many as the format has.
  public var planes: [UnsafeRawBufferPointer]
  /// Bytes from a row of each plane to the next; 0, or no number: those of its pixels.
  public var strides: [Int]
  /// Degrees by which it is turned clockwise to be upright: 0, 90, 180 or 270.
  public var rotation: Int
  /// Then left and right change places.
  public var mirror: Bool
  /// Of Y, U and V.
  public var yuvRange = YuvRange.video
  public var yuvMatrix = YuvMatrix.bt601

  public init(
    _ format: Pixels, width: Int, height: Int, _ planes: UnsafeRawBufferPointer...,
    strides: [Int] = [], rotation: Int = 0, mirror: Bool = false
  ) {
    self.format = format
    self.width = width
    self.height = height
    self.planes = planes
    self.strides = strides
    self.rotation = rotation
    self.mirror = mirror
  }

  /// The bytes of a plane's rows, and their number; 0: the format has no such plane.
  private func shape(_ plane: Int) -> (rowBytes: Int, rows: Int) {
    let (halfWidth, halfHeight) = ((width + 1) / 2, (height + 1) / 2)
    switch (format, plane) {
    case (.rgb8, 0): return (3 * width, height)
    case (.rgba8, 0), (.bgra8, 0): return (4 * width, height)
    case (.gray8, 0), (.nv12, 0), (.nv21, 0), (.i420, 0): return (width, height)
    case (.nv12, 1), (.nv21, 1): return (2 * halfWidth, halfHeight)
    case (.i420, 1), (.i420, 2): return (halfWidth, halfHeight)
    default: return (0, 0)
    }
  }

  /// A plane and its stride, of which there is as much as the library reads.
  private func checked(_ plane: Int) throws -> (UnsafeRawPointer?, Int) {
    let (rowBytes, rows) = shape(plane)
    let has = plane < planes.count ? planes[plane].count : 0
    let given = plane < strides.count ? strides[plane] : 0
    let stride = given == 0 ? rowBytes : given
    if stride < 0 { throw Picture.refused("plane \(plane) of the image has a stride of \(stride)") }
    if rows > 0 && (has < rowBytes || rows > 1 && stride > (has - rowBytes) / (rows - 1)) {
      throw Picture.refused(
        "plane \(plane) of the image has \(has) bytes, too few for \(rows) rows, \(stride) bytes "
          + "apart, of \(rowBytes)")
    }
    return (has > 0 ? planes[plane].baseAddress : nil, given)
  }

  func raw() throws -> rondo_image {
    // Within these, shape() does not overflow; the library tells what else is wrong.
    guard let columns = UInt16(exactly: width), let rows = UInt16(exactly: height),
      let degrees = UInt32(exactly: rotation)
    else {
      throw Picture.refused("the image is \(width) x \(height) pixels, turned by \(rotation) degrees")
    }
    var raw = rondo_image()
    raw.struct_size = UInt32(MemoryLayout<rondo_image>.size)
    raw.format = format.rawValue
    raw.width = UInt32(columns)
    raw.height = UInt32(rows)
    (raw.plane0, raw.stride0) = try checked(0)
    (raw.plane1, raw.stride1) = try checked(1)
    (raw.plane2, raw.stride2) = try checked(2)
    raw.rotation = degrees
    raw.mirror = mirror ? 1 : 0
    raw.yuv_range = yuvRange.rawValue
    raw.yuv_matrix = yuvMatrix.rawValue
    return raw
  }

  static func refused(_ what: String) -> RondoError {
    RondoError.failed(.invalidArgument, what)
  }
}
