// Ranks the pages that a search finds, in place of Sphinx's order. Loaded after Sphinx's searchtools.js.
//
// Sphinx shows only pages that hold every word of the query. Here a page scores for each word that it holds: by the word's
// rarity, the best place of the word on the page, and the kind of page. Words on a guide's own list (docs/keywords.toml)
// count most, then titles, headings and the text. Records, changelog and tables of benchmarks are left out.
const PLACES = { keyword: 8, title: 5, heading: 2.5, text: 1 };
const KINDS = [
  [/^(decisions\/|changelog|benchmarks|coverage-|speed|contributing|example-data|genindex)/, 0],
  [/^(start|which-interval|guide\/(?!from-|other-packages|index|extending|flow))/, 1],
  [/^(metrics|guide\/)/, 0.85],
  [/^(cli|coverage|gallery|theory)/, 0.7],
  [/^api\//, 0.4],
  [/./, 0.5],
];
const COMMON = new Set(["confid", "interv", "error", "bar", "ci", "metric", "comput", "calcul", "python", "howsur"]); // every page is about them
const PART_OF_PHRASE = 0.25; // weight of a word of a phrase whose other words were not asked
const REST = 0.15; // part of the score that a page keeps when it holds next to none of the words

function ranked(index, keywords, query, stems, stem, isStopword) {
  const words = (text) => text.toLowerCase().split(/[^\p{L}\p{N}_]+/u).filter((word) => word && !isStopword(word)).map(stem);
  const pages = index.docnames.map((name, file) => ({ file, name, best: new Map(), anchor: "", title: index.titles[file], score: 0 }));
  const hit = (file, term, place, share = 1) => {
    const { best } = pages[file];
    best.set(term, Math.max(best.get(term) ?? 0, PLACES[place] * share));
  };
  const files = (found) => (found === undefined ? [] : [found].flat());
  const terms = [...stems];
  const holds = new Map(terms.map((term) => [term, new Set([...files(index.terms[term]), ...files(index.titleterms[term])])]));
  for (const term of terms) {
    for (const file of holds.get(term)) hit(file, term, "text");
    if (term.length > 3)
      for (const word of Object.keys(index.terms))
        if (word.startsWith(term)) for (const file of files(index.terms[word])) hit(file, term, "text", 0.4);
  }
  for (const [title, places] of Object.entries(index.alltitles)) {
    const held = words(title);
    const common = terms.filter((term) => held.includes(term));
    for (const [file, anchor] of places) {
      const isPage = index.titles[file] === title;
      for (const term of common) hit(file, term, isPage ? "title" : "heading", 0.6 + 0.4 / held.length);
      if (common.length === terms.length && anchor && !isPage && !pages[file].anchor) pages[file].anchor = `#${anchor}`;
    }
  }
  const isCode = /^(hs|howsure)\.|_|\(/.test(query);
  const asked = query.trim().toLowerCase().replace(/^(hs|howsure)\./, "").replace(/\(.*/, "");
  for (const [name, phrases] of Object.entries(keywords)) {
    const file = index.docnames.indexOf(name);
    for (const phrase of phrases) {
      const held = words(phrase);
      const common = held.filter((word) => stems.has(word));
      const isWhole = held.length > 0 && common.length === held.length;
      for (const word of common) hit(file, word, "keyword", isWhole ? 1 : PART_OF_PHRASE);
      if (isWhole) pages[file].score += 2 * held.length + (phrase.toLowerCase() === asked ? 20 : 0);
    }
  }
  const isSpecific = terms.some((term) => !COMMON.has(term));
  const rarity = (term) => (isSpecific && COMMON.has(term) ? 0.1 : 1) * Math.log(1 + pages.length / (1 + (holds.get(term)?.size ?? 0)));
  const whole = terms.reduce((sum, term) => sum + rarity(term), 0) || 1;
  for (const page of pages) {
    const kind = KINDS.find(([names]) => names.test(page.name))[1];
    let sum = 0, held = 0;
    for (const [term, place] of page.best) {
      sum += rarity(term) * place;
      held += rarity(term);
    }
    page.score = kind * (page.score + sum) * (REST + (1 - REST) * (held / whole) ** 2);
  }
  for (const [module, names] of Object.entries(index.objects))
    for (const [file, , , , name] of names) {
      if (!module.startsWith("howsure") || name.toLowerCase() !== asked) continue;
      pages[file].score += isCode ? 1000 : 5;
      pages[file].anchor = `#${module}.${name}`;
    }
  return pages.filter((page) => page.score > 0).sort((a, b) => a.score - b.score || b.name.localeCompare(a.name));
}

if (typeof Search !== "undefined")
  Search._performSearch = (query, stems, excluded) => {
    const stemmer = new Stemmer();
    document.getElementById("search-progress")?.replaceChildren();
    const index = Search._index;
    const without = new Set([...excluded].flatMap((term) => [index.terms[term] ?? []].flat()));
    return ranked(index, KEYWORDS, query, stems, (word) => stemmer.stemWord(word), (word) => stopwords.has(word))
      .filter((page) => !without.has(page.file))
      .map((page) => [page.name, page.title, page.anchor, null, page.score, index.filenames[page.file], "text"]);
  };
if (typeof module !== "undefined") module.exports = { ranked };
