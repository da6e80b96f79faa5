"use strict";
const { topics, words, patches, vocabulary, documents, repeats } = JSON.parse(document.getElementById("data").textContent);
const find = (id) => document.getElementById(id);
const hue = (topic) => Math.floor((210 + 137.508 * topic) % 360);
const percent = (share) => (share === 0 ? "0%" : share < 0.0001 ? "<0.01%" : Number((100 * share).toPrecision(share < 0.01 ? 2 : 3)) + "%");
const counted = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
const PAGE = 20;

// Text is added to the page only as text, so none of it can become markup.
function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "hue") element.style.setProperty("--hue", value);
    else if (name === "width") element.style.width = value;
    else if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

const topWord = (topic) => (topic.words.length ? words[topic.words[0][0]] : "");
// A visual word is shown as a patch.
const written = (n) => (patches ? make("img", { className: "patch", src: patches[n], alt: words[n], title: words[n] }) : make("bdi", {}, words[n]));
// A word of a topic, marked if it was pinned to it by hand.
const ofTopic = (topic, n) => {
  const word = written(n);
  if (topic.pinned.includes(n)) { word.classList.add("pinned"); word.title = `${patches ? `${words[n]}, ` : ""}pinned by hand`; }
  return word;
};
const thumbnail = (doc) => make("img", { className: "thumbnail", src: doc.picture, alt: doc.id, title: doc.id });
const title = (topic) => `Topic ${topic.number}` + (topic.name ? ` ${topic.name}` : "");
const chip = (number, share) =>
  make("a", { className: "chip", hue: hue(number), href: `#topic-${number}` },
    `${number} `, make("bdi", {}, topics[number].name || topWord(topics[number])), share === undefined ? "" : ` ${percent(share)}`);

function bars(topic, entries) {
  const most = Math.max(...entries.map((entry) => Math.max(entry[1], entry[2])), 1e-12);
  const width = (value) => `${(100 * value) / most}%`;
  const table = make("table", { className: "bars" });
  for (const [word, probability, shared, nats] of entries) {
    table.append(make("tr", { title: `in the topic ${percent(probability)}, in the shared vocabulary ${percent(shared)}, ${nats} nats` },
      make("th", { scope: "row" }, make("a", { href: `#word-${word}` }, ofTopic(topic, word))),
      make("td", {}, make("div", { className: "bar", hue: hue(topic.number), width: width(probability) }),
        make("div", { className: "bar", width: width(shared) })),
      make("td", { className: "n" }, `${percent(probability)} / ${percent(shared)}`)));
  }
  return table;
}

// The first words of a topic, and those pinned to it.
function ranked(topic, most) {
  const by = Number(find("topic-rank").value);
  return [...topic.words].sort((a, b) => b[by] - a[by]).filter((entry, place) => place < most || topic.pinned.includes(entry[0]));
}

function showTopic(number) {
  const topic = topics[number];
  const part = find("topic");
  const left = make("div", {}, make("h3", {}, "Salient words"),
    make("p", { className: "hint" }, "Probability in the topic, and below it in the shared vocabulary." + (topic.pinned.length ? " A dotted line marks words that were pinned by hand." : "")), bars(topic, ranked(topic, 30)));
  const right = make("div");
  const pictures = typical(number);
  if (pictures.length) right.append(make("h3", {}, "Most typical pictures"), make("p", {}, ...pictures));
  if (topic.avoided.length) right.append(make("h3", {}, "Salient by absence"),
    make("p", { className: "hint" }, "Words that the topic uses less than other topics do."), bars(topic, topic.avoided));
  if (topic.classes.length) {
    const list = make("ul");
    for (const row of topic.classes) list.append(make("li", {}, make("bdi", {}, row.label), ` ${percent(row.share)}`));
    right.append(make("h3", {}, "Classes of its documents"), list);
  }
  const listed = documents.listed.filter((doc) => doc.topics.some(([j]) => j === number)).length;
  right.append(make("h3", {}, "Documents"), make("p", {},
    make("a", { href: `#documents-${number}` }, `${listed} of ${counted(topic.documents, "document")}`), ` ${listed === 1 ? "is" : "are"} in this report.`));
  part.replaceChildren(
    make("p", {}, make("a", { href: "#topics" }, "All topics"), " · ",
      make("a", { href: `#topic-${(number + topics.length - 1) % topics.length}` }, "previous"), " · ",
      make("a", { href: `#topic-${(number + 1) % topics.length}` }, "next")),
    make("h2", {}, make("bdi", {}, title(topic))),
    make("p", { className: "meta" }, `${percent(topic.share)} of all words · ${counted(topic.documents, "document")} · ${counted(topic.salient, "salient word")}` +
      (topic.found === null ? "" : ` · found again in ${topic.found} of ${counted(repeats, "fit")}, ${percent(topic.stays)} of its salient words stay`) +
      (topic.coherence === null ? "" : ` · NPMI ${topic.coherence.toFixed(2)}`)),
    make("div", { className: "columns" }, left, right));
}

// Thumbnails of the pictures that are most typical of a topic.
const typical = (number) => documents.typical[number].map((row) => documents.listed.find((doc) => doc.row === row))
  .filter((doc) => doc.picture).map(thumbnail);

function rankCards() {
  for (const topic of topics)
    find(`card-${topic.number}`).querySelector(".words").replaceChildren(
      ...ranked(topic, 12).flatMap((entry) => [ofTopic(topic, entry[0]), " "]));
}

function showPatches() {
  rankCards();
  for (const topic of topics) find(`card-${topic.number}`).append(make("p", {}, ...typical(topic.number).slice(0, 3)));
  const shared = document.querySelectorAll(".shared bdi");
  vocabulary.shared.forEach(([n], i) => shared[i].replaceWith(written(n)));
}

function findTopics() {
  const wanted = find("topic-find").value.trim().toLowerCase();
  for (const topic of topics) {
    const texts = [String(topic.number), topic.name || "", ...topic.classes.map((row) => row.label), ...topic.words.map((entry) => words[entry[0]])];
    find(`card-${topic.number}`).hidden = wanted !== "" && !texts.some((text) => text.toLowerCase().startsWith(wanted));
  }
}

function showWord(number) {
  const rows = [];
  for (let e = vocabulary.indptr[number]; e < vocabulary.indptr[number + 1]; e++)
    rows.push([vocabulary.topic[e], vocabulary.times[e]]);
  rows.sort((a, b) => b[1] - a[1]);
  const table = make("table", {}, make("thead", {}, make("tr", {}, ...["topic", "probability", "times the shared one"].map((text) => make("th", { scope: "col" }, text)))));
  const body = make("tbody");
  for (const [topic, times] of rows)
    body.append(make("tr", {}, make("td", {}, chip(topic)), make("td", {}, percent(times * vocabulary.probability[number])),
      make("td", {}, times === 0 ? "never" : `× ${times.toPrecision(3)}`)));
  table.append(body);
  return make("div", {}, make("h3", {}, written(number), patches ? ` ${words[number]}` : ""),
    make("p", {}, `${percent(vocabulary.probability[number])} of all words. ` +
      (rows.length ? `Salient in ${rows.length} of ${counted(topics.length, "topic")}:` : "Salient in no topic: it belongs to the shared vocabulary.")),
    ...(rows.length ? [table] : []));
}

function findWords() {
  const wanted = find("word-find").value.trim().toLowerCase();
  if (!wanted) return find("word-found").replaceChildren();
  const hits = [];
  words.forEach((word, n) => { if (word.toLowerCase().startsWith(wanted)) hits.push(n); });
  const exact = hits.filter((n) => words[n].toLowerCase() === wanted);
  hits.sort((a, b) => vocabulary.probability[b] - vocabulary.probability[a]);
  const first = exact.length ? exact[0] : hits[0];
  const others = hits.filter((n) => n !== first).slice(0, 30);
  find("word-found").replaceChildren(
    ...(first === undefined ? [make("p", {}, "No word starts like this.")] : [showWord(first)]),
    ...(others.length ? [make("p", {}, "Also: ", ...others.flatMap((n) => [make("a", { href: `#word-${n}` }, written(n)), " "]))] : []));
}

function pieces(doc) {
  const part = make("p", { className: "document", dir: "auto", tabIndex: 0 });
  part.setAttribute("role", "group");
  part.setAttribute("aria-label", `Text of ${doc.id}`);
  const alone = (text) => (documents.kind === "words" ? make("bdi", {}, text) : text);  // a list, not a sentence
  for (const piece of doc.pieces)
    part.append(typeof piece === "string" ? alone(piece) : make("mark", { hue: hue(piece[1]), title: `topic ${piece[1]}: ${topWord(topics[piece[1]])}` }, alone(piece[0])));
  if (doc.cut) part.append(" …");
  return part;
}

let shown = PAGE;
function wantedDocuments() {
  const topic = find("doc-topic").value === "" ? null : Number(find("doc-topic").value);
  const text = find("doc-find").value.trim().toLowerCase();
  const share = (doc) => (doc.topics.find(([j]) => j === topic) || doc.topics[0] || [0, 0])[1];
  const contains = (doc) => [doc.id, ...doc.labels, (doc.pieces || []).map((piece) => (typeof piece === "string" ? piece : piece[0])).join("")]
    .some((part) => part.toLowerCase().includes(text));
  const found = documents.listed.filter((doc) => (topic === null || doc.topics.some(([j]) => j === topic)) && (!text || contains(doc)));
  const sort = find("doc-sort").value;
  if (sort === "typical") found.sort((a, b) => share(b) - share(a) || a.row - b.row);
  if (sort === "shared") found.sort((a, b) => (b.shared || 0) - (a.shared || 0) || a.row - b.row);
  return found;
}

function showDocuments() {
  const found = wantedDocuments();
  find("doc-count").textContent = counted(found.length, "document");
  find("doc-list").replaceChildren(...found.slice(0, shown).map((doc) =>
    make("li", {}, make("strong", {}, make("bdi", {}, doc.id)), " ",
      ...doc.labels.flatMap((label) => [make("small", {}, make("bdi", {}, label)), " "]), make("br"),
      ...doc.topics.map(([topic, share]) => chip(topic, share)),
      ...(doc.shared === undefined ? [] : [make("small", {}, `${percent(doc.shared)} of its words are shared`)]),
      ...(doc.pieces ? [pieces(doc)] : []), ...(doc.picture ? [make("div", {}, thumbnail(doc))] : []))));
  find("doc-more").hidden = found.length <= shown;
}

function restart() { shown = PAGE; showDocuments(); }

function route() {
  const [view, number] = location.hash.slice(1).split("-");
  const known = document.querySelector(`section.view[id="${CSS.escape(view || "answer")}"]`) || view === "word";
  const now = known ? (view === "word" ? "words" : view || "answer") : "answer";
  const valid = (limit) => /^\d+$/.test(number || "") && Number(number) < limit;
  if (now === "topic" && !valid(topics.length)) { location.hash = "#topics"; return; }
  for (const section of document.querySelectorAll("section.view")) section.hidden = section.id !== now;
  for (const link of document.querySelectorAll("nav a")) {
    const current = link.hash === `#${now === "topic" ? "topics" : now}`;
    if (current) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
  }
  if (now === "topic") showTopic(Number(number));
  if (view === "word" && valid(words.length)) { find("word-find").value = words[Number(number)]; find("word-found").replaceChildren(showWord(Number(number))); }
  if (now === "documents") { if (valid(topics.length)) { find("doc-topic").value = number; find("doc-sort").value = "typical"; } restart(); }
  scrollTo(0, 0);
}

function theme(dark) {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  find("theme").setAttribute("aria-pressed", String(dark));
}
find("theme").addEventListener("click", () => theme(find("theme").getAttribute("aria-pressed") !== "true"));
if (matchMedia("(prefers-color-scheme: dark)").matches) theme(true);
find("topic-rank").addEventListener("change", rankCards);
find("topic-find").addEventListener("input", findTopics);
find("word-find").addEventListener("input", findWords);
for (const id of ["doc-topic", "doc-sort"]) find(id).addEventListener("change", restart);
find("doc-find").addEventListener("input", restart);
find("doc-more").addEventListener("click", () => { shown += PAGE; showDocuments(); });
addEventListener("hashchange", route);
if (patches) showPatches();
route();
