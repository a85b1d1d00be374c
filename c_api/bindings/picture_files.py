"""The same pixels as files of several formats: FOLDER/picture.png, .ppm and .rgba, 40 x 24. And what a
camera sees, 64 x 48, as a video and as the pixels that it is: FOLDER/camera.y4m and .rgba.

    picture_files.py FOLDER
"""
import struct
import sys
import zlib
from pathlib import Path

WIDTH, HEIGHT = 40, 24


def pixel(x, y):
    """A ramp, and a disc in it."""
    if (x - 14) ** 2 + (y - 11) ** 2 < 60:
        return bytes([230, 60 + 5 * y, 40])
    return bytes([6 * x, 10 * y, 255 - 3 * x])


def png(rows):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    head = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)  # 8 bits, RGB
    lines = b"".join(b"\0" + row for row in rows)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines)) +
            chunk(b"IEND", b""))


def camera(folder):
    """Squares of the four grays that Y from 16 to 235 has exactly: 0, 85, 170 and 255."""
    width, height = 64, 48
    grays = [[(x // 16 + y // 16 * 3) % 4 for x in range(width)] for y in range(height)]
    frame = bytes(16 + 73 * gray for row in grays for gray in row) + bytes([128]) * (width * height // 2)
    (folder / "camera.y4m").write_bytes(
        b"YUV4MPEG2 W%d H%d F10:1 Ip A1:1 C420\n" % (width, height) + 2 * (b"FRAME\n" + frame))
    rgba = b"".join(bytes(3 * [85 * gray]) + b"\xff" for row in grays for gray in row)
    (folder / "camera.rgba").write_bytes(rgba)


def main(folder):
    camera(folder)
    rows = [b"".join(pixel(x, y) for x in range(WIDTH)) for y in range(HEIGHT)]
    rgba = b"".join(pixel(x, y) + b"\xff" for y in range(HEIGHT) for x in range(WIDTH))
    (folder / "picture.png").write_bytes(png(rows))
    (folder / "picture.ppm").write_bytes(b"P6\n%d %d\n255\n" % (WIDTH, HEIGHT) + b"".join(rows))
    (folder / "picture.rgba").write_bytes(rgba)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
