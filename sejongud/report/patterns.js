// The regular expressions of the reader. A Worker tests texts by them and is ended after a second, so
// that no expression stops the page. The answers come later: a search runs again when they are there.
const patterns = (() => {

const MOST = 1000; // milliseconds
const SOURCE = `onmessage = ({ data: [source, flags, texts] }) => {
  const pattern = new RegExp(source, flags);
  postMessage(texts.map((text) => pattern.test(text)));
};
postMessage(null);`;

const policy = globalThis.trustedTypes?.createPolicy("worker", { createScriptURL: (url) => url });
const asking = new Set(); // the patterns that lack answers

class Pattern {
  constructor(source, flags) {
    new RegExp(source, flags); // throws if the expression is wrong
    Object.assign(this, { source, flags, known: new Map(), asked: new Set() });
  }

  // Return whether the pattern is in a text; false as long as that is not known.
  test(text) {
    const found = this.known.get(text);
    if (found === undefined) {
      this.asked.add(text);
      asking.add(this);
    }
    return found ?? false;
  }

  // Ask a Worker about all texts that lack an answer.
  async learn() {
    const texts = [...this.asked];
    this.asked.clear();
    asking.delete(this);
    const url = URL.createObjectURL(new Blob([SOURCE], { type: "text/javascript" }));
    const worker = new Worker(policy ? policy.createScriptURL(url) : url);
    let timer = 0;
    try {
      const answers = await new Promise((done, fail) => {
        const told = (text) => fail(new Error(`the pattern /${this.source}/ ${text}`));
        worker.onerror = (event) => {
          event.preventDefault();
          told(`cannot be tested: ${event.message}`);
        };
        worker.onmessage = ({ data }) => {
          if (data) done(data);
          else { // the Worker has begun
            worker.postMessage([this.source, this.flags, texts]);
            timer = setTimeout(() => told("took longer than a second"), MOST);
          }
        };
      });
      texts.forEach((text, at) => this.known.set(text, answers[at]));
    } finally {
      clearTimeout(timer);
      worker.terminate();
      URL.revokeObjectURL(url);
    }
  }
}

// Return the result of a function; it is called again until no pattern lacks an answer.
async function settled(run) {
  for (;;) {
    const result = run();
    if (!asking.size) return result;
    for (const pattern of [...asking]) await pattern.learn();
  }
}

return { make: (source, flags) => new Pattern(source, flags), settled };

})();
