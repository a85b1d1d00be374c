"""Pictures of one to three digits, each in a quarter of its own, and questions about them."""
import io

import numpy as np
from PIL import Image

ROWS = {  # of each digit, from the top: five bits a row
    0: (14, 17, 19, 21, 25, 17, 14), 1: (4, 12, 4, 4, 4, 4, 14), 2: (14, 17, 1, 6, 8, 16, 31),
    3: (14, 17, 1, 6, 1, 17, 14), 4: (2, 6, 10, 18, 31, 2, 2), 5: (31, 16, 30, 1, 1, 17, 14),
    6: (6, 8, 16, 30, 17, 17, 14), 7: (31, 1, 2, 4, 8, 8, 8), 8: (14, 17, 17, 14, 17, 17, 14),
    9: (14, 17, 17, 15, 1, 2, 12)}
GLYPHS = {digit: np.array([[row >> (4 - x) & 1 for x in range(5)] for row in rows], bool)
          for digit, rows in ROWS.items()}
COLOURS = {"red": (210, 30, 35), "green": (30, 165, 50), "blue": (35, 60, 220),
           "yellow": (235, 215, 40), "white": (245, 245, 245), "black": (12, 12, 12)}
QUARTERS = ("top left", "top right", "bottom left", "bottom right")


def size_of(rng):
    """Half of the pictures are nearly square; others are wide or tall."""
    kind = rng.random()
    if kind < 0.2:
        return int(rng.integers(112, 145)), int(rng.integers(52, 70))
    if kind < 0.4:
        return int(rng.integers(52, 70)), int(rng.integers(112, 145))
    return int(rng.integers(76, 129)), int(rng.integers(76, 129))


def background(rng, width, height):
    """Shades of grey, lighter to one side, with blotches, bars and grain."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    slope = rng.uniform(-25, 25, 2)
    grey = rng.uniform(95, 150) + slope[0] * (x / width - 0.5) + slope[1] * (y / height - 0.5)
    picture = grey[..., None] + rng.uniform(-8, 8, 3)
    blotches = rng.normal(0, rng.uniform(2, 9), (height // 12 + 2, width // 12 + 2))
    picture += np.kron(blotches, np.ones((12, 12)))[:height, :width, None]
    for _ in range(int(rng.integers(0, 3))):
        along, thick = x if rng.random() < 0.5 else y, rng.uniform(1, 4)
        at = rng.uniform(0, along.max())
        picture[np.abs(along - at) < thick] += rng.uniform(-18, 18)
    return picture + rng.normal(0, rng.uniform(0.5, 4), (height, width, 3))


def draw(rng, picture, digit, colour, quarter):
    """The digit somewhere in the quarter, turned a little."""
    height, width = picture.shape[0] // 2, picture.shape[1] // 2
    tall = min(rng.uniform(0.62, 0.86) * height, 1.4 * 0.86 * width)
    wide = min(tall * rng.uniform(0.62, 0.8), 0.9 * width)
    centre_x = (quarter % 2) * width + rng.uniform(wide / 2, width - wide / 2)
    centre_y = (quarter // 2) * height + rng.uniform(tall / 2, height - tall / 2)
    angle = rng.uniform(-0.14, 0.14)
    y, x = np.mgrid[0:picture.shape[0], 0:picture.shape[1]] + 0.5
    x, y = x - centre_x, y - centre_y
    column = np.floor((x * np.cos(angle) + y * np.sin(angle)) * 5 / wide + 2.5).astype(int)
    row = np.floor((y * np.cos(angle) - x * np.sin(angle)) * 7 / tall + 3.5).astype(int)
    inside = (column >= 0) & (column < 5) & (row >= 0) & (row < 7)
    inside[inside] = GLYPHS[digit][row[inside], column[inside]]
    picture[inside] = np.array(COLOURS[colour]) + rng.uniform(-12, 12, 3)
    picture[inside] += rng.normal(0, 3, (int(inside.sum()), 3))


def scene(rng):
    """A picture, and what is in its quarters: (digit, colour) or None."""
    width, height = size_of(rng)
    count = int(rng.integers(1, 4))
    digits = rng.choice(10, count, replace=False)
    colours = rng.choice(list(COLOURS), count)
    places = sorted(rng.choice(4, count, replace=False))
    picture = background(rng, width, height)
    content = [None] * 4
    for digit, colour, place in zip(digits, colours, places):
        draw(rng, picture, int(digit), str(colour), int(place))
        content[place] = (int(digit), str(colour))
    return Image.fromarray(np.clip(picture, 0, 255).astype(np.uint8)), content


def as_jpeg(image, quality, **options):
    file = io.BytesIO()
    image.save(file, "JPEG", quality=quality, **options)
    return file.getvalue()


def from_jpeg(data):
    return Image.open(io.BytesIO(data)).convert("RGB")


def save(rng, image, path):
    """As cameras and programs write files: of several qualities, in one run or more, upright or
    not."""
    if path.suffix == ".png":
        return image.save(path, optimize=True)
    options = {"quality": int(rng.integers(55, 85)), "subsampling": int(rng.integers(3)),
               "progressive": bool(rng.random() < 0.25), "optimize": True}
    if rng.random() < 0.2:
        exif = Image.Exif()
        exif[0x0112] = 6  # it lies: to be turned by 90 degrees clockwise
        options["exif"] = exif
        image = image.transpose(Image.Transpose.ROTATE_90)
    image.save(path, "JPEG", **options)


def questions(rng, content):
    """A question of each kind, with its answer."""
    seen = [(place, *what) for place, what in enumerate(content) if what is not None]
    of_colour, of_place = (seen[int(rng.integers(len(seen)))] for _ in range(2))
    place = int(rng.integers(4))
    if content[place] is None and rng.random() < 0.5:
        place = seen[int(rng.integers(len(seen)))][0]
    what = content[place]
    return [("Which digits are there?", " ".join(str(digit) for _, digit, _ in seen)),
            (f"What colour is the {of_colour[1]}?", of_colour[2]),
            (f"Where is the {of_place[1]}?", QUARTERS[of_place[0]]),
            (f"What is at the {QUARTERS[place]}?",
             "nothing" if what is None else f"a {what[1]} {what[0]}")]


def question(rng, content, shares):
    """One of these; `shares` of each kind."""
    return questions(rng, content)[int(rng.choice(4, p=shares))]
