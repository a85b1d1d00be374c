// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/**
 * rondo_image_facts of rondo.h.
 *
 * @param rows Rows of the text's: what it takes of maxMediaRows.
 * @param positions What it takes of the context: rows, and the tokens around them.
 * @param tileColumns Columns of tiles that it is cut into; 0 where it is not.
 * @param tileRows Rows of tiles; 0 where it is not cut.
 * @param tilePixels Of a tile's side; 0 where there are none.
 * @param wholeWidth The width that the whole is resized to; 0 where only tiles are seen.
 * @param wholeHeight The height of that; 0 where only tiles are seen.
 * @param patches Patches that the tower looks at.
 */
public record ImageFacts(
    int rows,
    int positions,
    int tileColumns,
    int tileRows,
    int tilePixels,
    int wholeWidth,
    int wholeHeight,
    long patches) {
  static ImageFacts of(Structs.ImageFacts from) {
    return new ImageFacts(
        from.rows(),
        from.positions(),
        from.tileColumns(),
        from.tileRows(),
        from.tilePixels(),
        from.wholeWidth(),
        from.wholeHeight(),
        from.patches());
  }
}
