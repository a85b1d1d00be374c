// The page: its controls, and what each of them does.
import {Pictures} from './pictures.js';
import {planSentence} from './plan.js';
import {Refusal, chatModels, useKey} from './server.js';
import {Settings} from './settings.js';
import {Talk} from './talk.js';

const MODEL = 'rondo.model';
const part = (id) => document.getElementById(id);
const asked = part('asked');
const settings = new Settings(part('settings'));
const pictures = new Pictures(part('pictures'));
let models = [];

const chosen = () => models.find(({id}) => id === part('model').value);
const sees = () => chosen()?.modalities.includes('image') ?? false;

const talk = new Talk(part('talk'), {
  get model() { return part('model').value; },
  get system() { return settings.system; },
  get request() { return settings.request; },
}, {running, edit, said, failed, pace: (sentence) => part('pace').textContent = sentence});

function problem(sentence) {
  part('problem').textContent = sentence;
  part('problem').hidden = !sentence;
}

// `isShown`: the answer has the sentence.
function failed(error, isShown = false) {
  if (error instanceof Refusal && error.status === 401) {
    part('key-form').hidden = false;
    part('key').focus();
    return;
  }
  if (!isShown) problem(error.message);
}

// To a screen reader, at once, which heard nothing of the pieces.
function said(text) {
  part('announced').textContent = text;
}

function running(is) {
  const hadFocus = [part('send'), part('stop')].includes(document.activeElement);
  part('send').hidden = is;
  part('stop').hidden = !is;
  if (hadFocus || document.activeElement === document.body) asked.focus();
  if (is) said('');
  else refresh();
}

// ---- Models ------------------------------------------------------------------------------------------

function showChosen() {
  const model = chosen();
  part('plan').textContent = model ? planSentence(model) : '';
  part('sight').hidden = !sees();
  if (!sees()) pictures.set([]);
  part('choice').hidden = !model;
  part('send').disabled = !model;
}

function showModels() {
  const select = part('model');
  const names = models.map(({id}) => id);
  if (names.join('\n') !== [...select.options].map(({value}) => value).join('\n')) {
    const wanted = select.value || localStorage.getItem(MODEL);
    select.replaceChildren(...names.map((name) => new Option(name)));
    if (names.includes(wanted)) select.value = wanted;
  }
  showChosen();
}

async function loadModels() {
  try {
    models = await chatModels();
    part('key-form').hidden = true;
    problem(models.length ? '' : 'No model of this server chats.');
  } catch (error) {
    failed(error);
  }
  showModels();
}

// Other models may be loaded now. Where the server is gone, the next question tells so.
async function refresh() {
  models = await chatModels().catch(() => models);
  showModels();
}

part('model').addEventListener('change', () => {
  localStorage.setItem(MODEL, part('model').value);
  showChosen();
});

part('key-form').addEventListener('submit', (event) => {
  event.preventDefault();
  useKey(part('key').value);
  part('key').value = '';
  asked.focus();
  loadModels();
});

// ---- The question ------------------------------------------------------------------------------------

function setEditing(is) {
  part('editing').hidden = !is;
}

function edit(question) {
  asked.value = question.text;
  pictures.set(question.pictures);
  setEditing(true);
  asked.focus();
}

function leaveEditing() {
  asked.value = '';
  pictures.set([]);
  setEditing(false);
  asked.focus();
}

function send() {
  const text = asked.value.trim();
  if (talk.running || !chosen() || (!text && pictures.taken.length === 0)) return;
  const question = {text, pictures: pictures.take()};
  const replaces = !part('editing').hidden;
  asked.value = '';
  setEditing(false);
  problem('');
  if (replaces) talk.askAgain(question);
  else talk.ask(question);
}

part('question').addEventListener('submit', (event) => {
  event.preventDefault();
  send();
});
asked.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  send();
});
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || event.isComposing || part('settings').open) return;
  if (talk.running) talk.stop();
  else if (!part('editing').hidden) leaveEditing();
});
part('stop').addEventListener('click', () => talk.stop());
part('leave').addEventListener('click', leaveEditing);
part('anew').addEventListener('click', () => {
  talk.clear();
  leaveEditing();
});

// ---- Pictures ----------------------------------------------------------------------------------------

async function takeFiles(files) {
  if (!sees()) return problem('This model does not see pictures.');
  problem('');
  try {
    await pictures.add(files);
  } catch (error) {
    failed(error);
  }
}

part('file').addEventListener('change', async () => {
  await takeFiles([...part('file').files]);
  part('file').value = '';
});
asked.addEventListener('paste', (event) => {
  const {files} = event.clipboardData;
  if (files.length === 0) return;
  event.preventDefault();
  takeFiles([...files]);
});
// Anywhere: a file that is dropped beside the question would take the place of the page.
const carriesFiles = (event) => event.dataTransfer?.types.includes('Files');
const setDropping = (is) => part('question').classList.toggle('dropping', is);
document.addEventListener('dragover', (event) => {
  if (!carriesFiles(event)) return;
  event.preventDefault();
  setDropping(sees());
});
document.addEventListener('dragleave', (event) => {
  if (!event.relatedTarget) setDropping(false);
});
document.addEventListener('drop', (event) => {
  if (!carriesFiles(event)) return;
  event.preventDefault();
  setDropping(false);
  takeFiles([...event.dataTransfer.files]);
});

// ---- Settings ----------------------------------------------------------------------------------------

part('open-settings').addEventListener('click', () => part('settings').showModal());
part('clear-settings').addEventListener('click', () => settings.clear());

await loadModels();
if (part('key-form').hidden) asked.focus();
