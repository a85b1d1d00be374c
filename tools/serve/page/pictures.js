// The pictures of a question: taken from files, the clipboard or what is dropped.

function dataUrl(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(reader.result));
    reader.addEventListener('error', () => reject(new Error(`${file.name} cannot be read.`)));
    reader.readAsDataURL(file);
  });
}

/** @param list the <ul> that shows them */
export class Pictures {
  constructor(list) {
    this.list = list;
    this.taken = [];
  }

  /** Files that are no pictures are left. */
  async add(files) {
    for (const file of files) {
      if (!file.type.startsWith('image/')) continue;
      this.taken.push({name: file.name || 'picture', url: await dataUrl(file)});
    }
    this.show();
  }

  set(pictures) {
    this.taken = [...pictures];
    this.show();
  }

  /** Gives them away. */
  take() {
    const {taken} = this;
    this.set([]);
    return taken;
  }

  show() {
    this.list.hidden = this.taken.length === 0;
    this.list.replaceChildren(...this.taken.map((picture) => {
      const item = document.createElement('li');
      const image = document.createElement('img');
      image.src = picture.url;
      image.alt = picture.name;
      const remove = document.createElement('button');
      remove.type = 'button';
      remove.textContent = 'Remove';
      remove.setAttribute('aria-label', `Remove ${picture.name}`);
      remove.addEventListener('click', () => this.set(this.taken.filter((one) => one !== picture)));
      item.append(image, remove);
      return item;
    }));
  }
}
