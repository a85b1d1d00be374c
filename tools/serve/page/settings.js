// The settings' dialog, and what it adds to a request. What is empty adds nothing.

const KEPT = 'rondo.settings';
const NUMBERS = ['temperature', 'top_p', 'seed', 'max_tokens'];

function kept() {
  try {
    return JSON.parse(localStorage.getItem(KEPT)) ?? {};
  } catch {
    return {};
  }
}

// What is no number goes as it is: the server says what it expects.
const numberOf = (text) => Number.isNaN(Number(text)) ? text : Number(text);

/** @param dialog the <dialog>, whose fields name their settings */
export class Settings {
  constructor(dialog) {
    this.fields = [...dialog.querySelectorAll('[data-setting]')];
    const values = kept();
    for (const field of this.fields) field.value = values[field.dataset.setting] ?? '';
    dialog.addEventListener('input', () => this.keep());
  }

  get values() {
    const filled = this.fields.map((field) => [field.dataset.setting, field.value.trim()]);
    return Object.fromEntries(filled.filter(([, value]) => value !== ''));
  }

  keep() {
    localStorage.setItem(KEPT, JSON.stringify(this.values));
  }

  clear() {
    for (const field of this.fields) field.value = '';
    this.keep();
  }

  get system() {
    return this.values.system ?? '';
  }

  /** The fields of a request that are set. */
  get request() {
    const {values} = this;
    const set = NUMBERS.filter((name) => name in values);
    const request = Object.fromEntries(set.map((name) => [name, numberOf(values[name])]));
    if (values.thinking) {
      request.chat_template_kwargs = {enable_thinking: values.thinking === 'on'};
    }
    return request;
  }
}
