/* Answers a question about a picture, which stands as a PPM file here: what decodes JPEG or takes a
 * camera's frame gives pixels, too. cc picture.c -lrondo && ./a.out model.rondo photo.ppm */
#include <rondo/rondo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char kMessages[] =
    "[{\"role\": \"user\", \"content\": [{\"type\": \"image\"},"
    " {\"type\": \"text\", \"text\": \"What is in the picture?\"}]}]";

/* RGB of 8 bits, or NULL. */
static unsigned char* read_ppm(const char* path, rondo_image* image) {
  FILE* file = fopen(path, "rb");
  unsigned char* pixels = NULL;
  size_t bytes = 0;
  if (file == NULL) return NULL;
  memset(image, 0, sizeof *image);
  image->struct_size = sizeof *image;
  image->format = RONDO_PIXELS_RGB8;
  if (fscanf(file, "P6 %u %u 255%*c", &image->width, &image->height) == 2 && image->width < 65536 &&
      image->height < 65536) {
    bytes = (size_t)image->width * image->height * 3;
    pixels = malloc(bytes);
  }
  if (pixels != NULL && fread(pixels, 1, bytes, file) != bytes) {
    free(pixels);
    pixels = NULL;
  }
  fclose(file);
  image->plane0 = pixels;
  return pixels;
}

int main(int argc, char** argv) {
  rondo_model* model = NULL;
  rondo_engine* engine = NULL;
  rondo_session* session = NULL;
  rondo_media* media = NULL;
  rondo_image image;
  rondo_image_options image_options;
  rondo_image_facts facts;
  rondo_engine_options engine_options;
  rondo_session_options session_options;
  rondo_chat_options chat;
  rondo_event event;
  int32_t ids[256];
  size_t count = 0;
  unsigned char* pixels = argc == 3 ? read_ppm(argv[2], &image) : NULL;
  char why[256] = "usage: picture MODEL PPM_FILE";
  if (argc == 3) {
    snprintf(why, sizeof why,
             "%s is no PPM file of 8 bits (P6): `convert photo.jpg photo.ppm` makes one", argv[2]);
  }

  rondo_image_options_init(&image_options, sizeof image_options);
  rondo_engine_options_init(&engine_options, sizeof engine_options);
  rondo_session_options_init(&session_options, sizeof session_options);
  rondo_chat_options_init(&chat, sizeof chat);
  session_options.max_tokens = 64;
  chat.messages = kMessages;
  chat.messages_bytes = strlen(kMessages);
  facts.struct_size = sizeof facts;
  event.struct_size = sizeof event;
  event.reason = RONDO_REASON_NONE;
  int failed =
      pixels == NULL ||
      rondo_model_open_path(RONDO_ABI_VERSION, argv[1], &model, why, sizeof why) ||
      rondo_image_plan(model, image.width, image.height, &image_options, &facts, why, sizeof why);
  if (!failed) engine_options.max_media_rows = facts.rows; /* room for one such picture */
  failed = failed ||
           rondo_engine_create(model, &engine_options, NULL, 0, &engine, why, sizeof why) ||
           rondo_media_create(engine, &image, &image_options, &media, why, sizeof why) ||
           /* Its part of the message becomes the token that the picture stands for. */
           rondo_chat_render(model, &chat, NULL, 0, NULL, ids, 256, &count, why, sizeof why) ||
           rondo_session_open(engine, &session_options, &session, why, sizeof why) ||
           rondo_session_append_media(session, ids, count, &media, 1);
  free(pixels); /* nothing reads them any more */
  while (!failed && event.reason == RONDO_REASON_NONE) {
    failed = rondo_session_next(session, &event);
    fwrite(event.text, 1, event.text_bytes, stdout);
  }
  puts("");
  if (failed) fprintf(stderr, "%s\n", session ? rondo_session_last_error(session) : why);
  rondo_media_close(media);
  rondo_session_close(session);
  rondo_engine_close(engine);
  rondo_model_close(model);
  return failed ? 1 : 0;
}
