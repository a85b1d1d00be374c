// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/** rondo_image_facts of rondo.h. */
public record ImageFacts(
    int rows,
    int positions,
    int tileColumns,
    int tileRows,
    int tilePixels,
    int wholeWidth,
    int wholeHeight,
    long patches) {
  static ImageFacts of(Raw.ImageFacts raw) {
    return new ImageFacts(
        raw.rows,
        raw.positions,
        raw.tile_columns,
        raw.tile_rows,
        raw.tile_pixels,
        raw.whole_width,
        raw.whole_height,
        raw.patches);
  }
}
