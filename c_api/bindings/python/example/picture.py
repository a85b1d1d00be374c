"""Answers a question about a picture: python picture.py model.rondo photo.jpg"""
import sys

# shown from here
import rondo
from PIL import Image, ImageOps

MESSAGES = [{"role": "user", "content": [
    {"type": "image"}, {"type": "text", "text": "What is in the picture?"}]}]

def answer(path, photo):
    picture = ImageOps.exif_transpose(Image.open(photo))  # upright, as cameras say in EXIF
    with rondo.Model(path) as model:
        rows = model.image_plan(*picture.size).rows
        with model.engine(max_media_rows=rows) as engine, engine.session(max_tokens=64) as session:
            with engine.media(picture) as media:  # or a NumPy array [height, width, 3] of uint8
                for part in session.chat_stream(MESSAGES, media=[media]):
                    print(part.text, end="", flush=True)
# shown to here


answer(*sys.argv[1:])
print()
