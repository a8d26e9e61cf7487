// A model that only pretends: it adds one, but is wrong at every number that `bad` divides.
module.exports = class {
  constructor(options) {
    this.settings = options.config;
  }
  id() {
    return this.settings.name;
  }
  async callApi(prompt) {
    const number = Number(prompt.match(/\d+/)[0]);
    return { output: String(number % this.settings.bad === 0 ? 0 : number + 1) };
  }
};
