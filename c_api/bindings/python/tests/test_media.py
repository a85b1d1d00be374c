"""Pictures, with a model that sees, whose file RONDO_TEST_SEEING names."""
import os
import pathlib
import unittest

import rondo

SIDE = 48


def pixels_of(channels):
    """Of which the first three are equal, whatever else is there."""
    return bytes(byte for i in range(SIDE * SIDE)
                 for byte in (*((7 * i + c) % 256 for c in range(3)), i % 256)[:channels])


class Pil:
    """As much of a PIL image as is looked at."""
    size = (SIDE, SIDE)

    def __init__(self, mode):
        self.mode = mode

    def convert(self, mode):
        return Pil(mode)

    def tobytes(self):
        return pixels_of({"RGB": 3, "RGBA": 4}[self.mode])


class MediaTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = rondo.Model(os.environ["RONDO_TEST_SEEING"])
        cls.plan = cls.model.image_plan(SIDE, SIDE)
        cls.engine = cls.model.engine(context=256, max_sessions=2, max_media_rows=3 * cls.plan.rows)
        cls.ids = cls.model.chat_ids([{"role": "user", "content": [
            {"type": "text", "text": "Once upon"}, {"type": "image"},
            {"type": "text", "text": "a time"}]}])
        cls.rgb = pixels_of(3)

    @classmethod
    def tearDownClass(cls):
        cls.engine.close()

    def logits(self, image, **options):
        with self.engine.media(image, **options) as media, self.engine.session() as session:
            session.append_media(self.ids, [media])
            return bytes(session.logits())

    def test_plan(self):
        self.assertGreater(self.plan.tile_columns, 1)
        self.assertEqual(self.plan.tile_columns, self.plan.tile_rows)
        self.assertEqual(self.plan.whole_width, self.plan.tile_pixels)
        one = self.model.image_plan(SIDE, SIDE, one_tile=True)
        self.assertEqual((one.tile_columns, one.tile_rows, one.tile_pixels), (0, 0, 0))
        self.assertEqual(self.plan.rows, one.rows * (self.plan.tile_columns ** 2 + 1))
        with self.assertRaisesRegex(rondo.InvalidArgument, "0 x 48"):
            self.model.image_plan(0, SIDE)
        with self.assertRaises(rondo.RondoError) as failed:
            self.model.image_plan(SIDE, SIDE, max_tokens=9)
        self.assertIs(failed.exception.status, rondo.Status.UNSUPPORTED)

    def test_life(self):
        self.assertEqual(self.ids.count(self.model.info.picture_token), 1)
        image = rondo.Image(self.rgb, SIDE, SIDE)
        with self.engine.session(max_tokens=4) as session:
            with self.engine.media(image) as media:
                self.assertEqual(media.info, self.plan)
                session.append_media(self.ids, [media])
                positions = media.info.positions
            self.assertEqual(session.position, len(self.ids) - 1 + positions)  # it keeps the rows
            self.assertGreaterEqual(session.next().token, 0)
            self.assertEqual(session.position, len(self.ids) + positions)
            self.assertEqual(session.tokens.count(-1), self.plan.rows)
            with self.assertRaisesRegex(ValueError, "closed"):
                session.append_media(self.ids, [media])
            with self.assertRaisesRegex(rondo.InvalidArgument, "picture"):
                session.append_media(self.ids, [])
            with self.assertRaisesRegex(TypeError, "one picture, not a list"):
                session.append_media(self.ids, media)
            with self.assertRaisesRegex(rondo.InvalidArgument, "1 times, but 0 pictures"):
                session.chat([{"role": "user", "content": [{"type": "image"}]}])

    def test_b33_an_answer_about_a_picture(self):
        """That it is the program's answer, test.sh says of example/picture.py."""
        messages = [{"role": "user", "content": [
            {"type": "image"}, {"type": "text", "text": "What is in the picture?"}]}]
        with self.engine.session(max_tokens=8) as session:
            with self.engine.media(rondo.Image(self.rgb, SIDE, SIDE)) as media:
                reply = session.chat(messages, media=[media])
                self.assertTrue(reply.text)
                self.assertIs(reply.reason, rondo.Reason.TOKEN_LIMIT)
                self.assertEqual(
                    "".join(part.text for part in session.chat_stream(messages, media=[media])), reply.text)
                for wrong in (7, ["media"], media):
                    with self.assertRaises(TypeError):
                        session.chat(messages, media=wrong)

    def test_what_is_seen(self):
        seen = self.logits(rondo.Image(self.rgb, SIDE, SIDE))
        self.assertNotEqual(self.logits(rondo.Image(self.rgb[::-1], SIDE, SIDE)), seen)
        self.assertNotEqual(self.logits(rondo.Image(self.rgb, SIDE, SIDE), one_tile=True), seen)
        self.assertNotEqual(self.logits(rondo.Image(self.rgb, SIDE, SIDE, mirror=True)), seen)
        rgba = pixels_of(4)
        turned = bytearray(rgba)
        turned[0::4], turned[2::4] = rgba[2::4], rgba[0::4]
        apart = bytearray(200 * SIDE - 8)
        for y in range(SIDE):
            apart[200 * y:200 * y + 4 * SIDE] = rgba[4 * SIDE * y:4 * SIDE * (y + 1)]
        for image in [
                memoryview(self.rgb).cast("B", [SIDE, SIDE, 3]), Pil("RGB"), Pil("RGBA"), Pil("P"),
                rondo.Image(rgba, SIDE, SIDE), bytearray(rgba),
                rondo.Image(turned, SIDE, SIDE, rondo.Pixels.BGRA8),
                rondo.Image(apart, SIDE, SIDE, rondo.Pixels.RGBA8, strides=[200])]:
            if isinstance(image, bytearray):
                image = memoryview(image).cast("B", [SIDE, SIDE, 4])
            self.assertEqual(self.logits(image), seen)

    def test_planes(self):
        luma, colours = bytes(i % 200 for i in range(SIDE * SIDE)), bytes([128]) * (SIDE * SIDE // 4)
        gray = self.logits(memoryview(luma).cast("B", [SIDE, SIDE]))
        full = {"yuv_range": rondo.YuvRange.FULL}
        for pixels, format in [((luma, 2 * colours), rondo.Pixels.NV12),
                               (luma + 2 * colours, rondo.Pixels.NV21),
                               (luma + 2 * colours, rondo.Pixels.I420)]:
            self.assertEqual(self.logits(rondo.Image(pixels, SIDE, SIDE, format, **full)), gray)
        self.assertNotEqual(self.logits(rondo.Image(luma + 2 * colours, SIDE, SIDE, rondo.Pixels.NV12)),
                            gray)
        stride, apart = SIDE + 16, b""
        for plane, row in [(luma, SIDE), (2 * colours, SIDE)]:
            apart += b"".join(plane[i:i + row].ljust(stride) for i in range(0, len(plane), row))
        for frame in (apart, apart[:-16]):  # one buffer, as a camera gives it
            self.assertEqual(self.logits(rondo.Image(frame, SIDE, SIDE, rondo.Pixels.NV12,
                                                     strides=(stride, stride), **full)), gray)
        with self.assertRaisesRegex(ValueError, "strides say how"):
            rondo.Image(apart, SIDE, SIDE, rondo.Pixels.NV12)
        with self.assertRaisesRegex(ValueError, "2 planes"):
            rondo.Image((luma, colours), SIDE, SIDE, rondo.Pixels.I420)

    def test_arrays(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("no NumPy here")
        array = numpy.frombuffer(self.rgb, numpy.uint8).reshape(SIDE, SIDE, 3)
        seen = self.logits(array)
        frame = numpy.zeros((SIDE + 2, SIDE + 5, 3), numpy.uint8)
        frame[1:-1, 3:-2] = array
        self.assertEqual(self.logits(frame[1:-1, 3:-2]), seen)  # with gaps, without a copy
        image = rondo.Image(frame[1:-1, 3:-2])
        self.assertEqual(image._raw.plane0, frame.ctypes.data + frame.strides[0] + 3 * 3)
        for changed in [array[:, :, ::-1], array[::-1], array.transpose(1, 0, 2)]:
            self.assertEqual(self.logits(changed), self.logits(numpy.ascontiguousarray(changed)))
            self.assertNotEqual(self.logits(changed), seen)
        with self.assertRaisesRegex(TypeError, "not bytes"):
            rondo.Image(array.astype(numpy.float32))
        for wrong, words in [(array[:, :, :2], "3 or 4]$"), (array[None], "of one picture"),
                             (array.transpose(2, 0, 1), r"\(3, 48, 48\).*transpose\(1, 2, 0\)")]:
            with self.assertRaisesRegex(TypeError, words):
                rondo.Image(wrong)

    def test_refused_pixels(self):
        for arguments, error, words in [
                ((self.rgb,), TypeError, "width and height"),
                (("cat.jpg",), TypeError, "'cat.jpg'.*decode it first"),
                ((pathlib.Path("cat.jpg"),), TypeError, "'cat.jpg'.*decode it first"),
                ((self.rgb, SIDE, SIDE - 1), TypeError, "format"),
                ((self.rgb, SIDE, SIDE, rondo.Pixels.RGBA8), ValueError, "not the 9216"),
                ((self.rgb, SIDE, SIDE, rondo.Pixels.NV12), ValueError, "not the 3456"),
                ((memoryview(self.rgb).cast("B", [SIDE, SIDE, 3]), SIDE, 9), ValueError, "9 rows")]:
            with self.assertRaisesRegex(error, words):
                rondo.Image(*arguments)
        with self.assertRaisesRegex(ValueError, "stride of 200"):
            rondo.Image(self.rgb, SIDE, SIDE, rondo.Pixels.RGB8, strides=[200])
        with self.assertRaisesRegex(rondo.InvalidArgument, "not by 45"):
            self.engine.media(rondo.Image(self.rgb, SIDE, SIDE, rotation=45))

    def test_strides_that_no_plane_has(self):
        for pixels, strides in ((bytes(12), [6, 6]), (memoryview(bytes(12)).cast("B", (2, 2, 3)), [6])):
            with self.assertRaisesRegex(ValueError, "strides"):
                rondo.Image(pixels, 2, 2, strides=strides)
        with self.assertRaisesRegex(TypeError, "no plane"):
            rondo.Image((), 2, 2)

    def test_progress(self):
        def told(done, total):
            steps.append((done, total))
            if total == stop:
                raise KeyError("enough")
        steps, stop = [], 0
        image = rondo.Image(bytes(3 * SIDE * SIDE), SIDE, SIDE)
        with self.engine.media(image, progress=told) as media:
            self.assertEqual(steps[-1][0], steps[-1][1])
            self.assertEqual(media.info, self.plan)
        stop = steps[-1][1]
        with self.assertRaisesRegex(KeyError, "enough"):
            self.engine.media(rondo.Image(b"\1" * (3 * SIDE * SIDE), SIDE, SIDE), progress=told)

    def test_engines(self):
        with self.model.engine(context=256) as none:
            with self.assertRaisesRegex(rondo.RondoError, "max_media_rows is 0") as failed:
                none.media(rondo.Image(self.rgb, SIDE, SIDE))
            self.assertIs(failed.exception.status, rondo.Status.UNSUPPORTED)
        other = self.model.engine(context=256, max_media_rows=self.plan.rows)
        media = other.media(rondo.Image(self.rgb, SIDE, SIDE))
        other.close()  # in any order
        self.assertEqual(media.info, self.plan)
        with self.engine.session() as session:
            with self.assertRaisesRegex(rondo.InvalidArgument, "another engine"):
                session.append_media(self.ids, [media])

    def test_a_model_that_does_not_see(self):
        with rondo.Model(os.environ["RONDO_TEST_MODEL"]) as model:
            self.assertEqual(model.info.picture_token, -1)
            with self.assertRaisesRegex(rondo.RondoError, "reads texts alone") as failed:
                model.image_plan(SIDE, SIDE)
            self.assertIs(failed.exception.status, rondo.Status.UNSUPPORTED)
            with self.assertRaises(rondo.RondoError):
                model.engine(max_media_rows=self.plan.rows)


if __name__ == "__main__":
    unittest.main()
