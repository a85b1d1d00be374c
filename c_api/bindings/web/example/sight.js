// Pictures for a page: of a file, or of a camera, at most SIDE pixels a side.
const SIDE = 1024;

/** Engine options with room for one such picture, whatever its shape; none where the model does not
 * see. `tokens`: what there is to be of text beside it. */
export async function roomForAPicture(rondo, {info}, tokens) {
  if (info.pictureToken < 0) return {};
  const plans = await Promise.all([SIDE, SIDE * 3 / 4, SIDE * 9 / 16, SIDE / 4].flatMap((side) => [
    rondo.imagePlan(SIDE, side), rondo.imagePlan(side, SIDE)]));
  const most = (name) => Math.max(...plans.map((plan) => plan[name]));
  return {
    maxMediaRows: most('rows'),
    context: Math.min(most('positions') + tokens, info.contextLength)};
}

/** Shows a camera's frames in a <video>, or ends that. */
export async function showCamera(video, wanted) {
  video.srcObject?.getTracks().forEach((track) => track.stop());
  video.srcObject = null;
  if (!wanted) return;
  video.srcObject = await navigator.mediaDevices.getUserMedia(
      {video: {facingMode: 'environment', width: {ideal: 640}, height: {ideal: 480}}});
  await video.play();
}

/** What rondo.media() takes, of a <video> or a file, for the page to close. A frame has the camera's own
 * planes. */
export async function pictureOf(source) {
  const {videoWidth, videoHeight} = source;  // of a file there are none
  if (Math.max(videoWidth, videoHeight) <= SIDE && 'VideoFrame' in globalThis) {
    return new VideoFrame(source);
  }
  const bitmap = await createImageBitmap(source);  // upright, as EXIF says
  const part = SIDE / Math.max(bitmap.width, bitmap.height);
  if (part >= 1) return bitmap;
  const [resizeWidth, resizeHeight] = [bitmap.width, bitmap.height].map(
      (side) => Math.max(1, Math.round(side * part)));
  try {
    return await createImageBitmap(bitmap, {resizeWidth, resizeHeight, resizeQuality: 'high'});
  } finally {
    bitmap.close();
  }
}

// shown from here
/** The answer to a question about a picture, as texts. */
export async function* answer(rondo, picture, question, options) {
  const messages = [{role: 'user', content: [{type: 'image'}, {type: 'text', text: question}]}];
  const media = await rondo.media(picture);
  try {
    for await (const part of rondo.chatStream(messages, {...options, media: [media]})) {
      if (part.kind === 'CONTENT') yield part.text;
    }
  } finally {
    await media.close();
  }
}
// shown to here
