"use strict";
const find = (id) => document.getElementById(id);
const data = JSON.parse(find("data").textContent);
const { topics, themes, tree, words, patches, vocabulary, documents, groups, repeats } = data;
// What the page leaves out to be small.
vocabulary.indptr = [0];
for (const count of vocabulary.counts) vocabulary.indptr.push(vocabulary.indptr.at(-1) + count);
vocabulary.probability = vocabulary.units.map((unit) => unit / 1e10);
const withShared = (entries) => entries.map(([word, own, ...rest]) => [word, own, vocabulary.probability[word], ...rest]);
for (const topic of topics) topic.words = withShared(topic.words);
if (tree) tree.words = tree.words.map(withShared);
for (const group of groups) group.points = group.points.map((row) => group.names.map((_, n) => row.slice(3 * n, 3 * n + 3).map((unit) => unit / 1e5)));
const percent = (share) => (share === 0 ? "0%" : share < 0.0001 ? "<0.01%" : (share < 0.1 ? Number((100 * share).toPrecision(2)) : Math.round(100 * share)) + "%");
const whole = (n) => n.toLocaleString("en", { maximumFractionDigits: 0 });
const counted = (n, noun) => `${whole(n)} ${noun}${n === 1 ? "" : "s"}`;
const PAGE = 20;
// What a join does to BIC.
const costs = (price) => (price < 0 ? `saves ${counted(Math.round(-price), "nat")}` : `costs ${counted(Math.round(price), "nat")}`);

// Text is added to the page only as text, so none of it can become markup.
function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "width") element.style.width = value;
    else if (name in element && name !== "role") element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

function draw(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// A term with its explanation, which opens by mouse, touch and keyboard.
const term = (name, text = name) => make("button", { type: "button", className: "term", popovertarget: `term-${name}` }, text);

// ---- Topics, the nodes of their tree, and the groups of the present cut ----

const M = topics.length;
const children = tree ? tree.children : [];
const parentOf = new Map();
const membersOf = topics.map((topic) => [topic.number]);
const shareOf = topics.map((topic) => topic.share);
children.forEach(([one, two], step) => {
  for (const child of [one, two]) parentOf.set(child, M + step);
  membersOf.push([...membersOf[one], ...membersOf[two]]);
  shareOf.push(shareOf[one] + shareOf[two]);
});
const themeOf = new Map((themes || []).filter((theme) => theme.node !== null).map((theme) => [theme.node, theme]));
const first = data.cut;  // the number of groups that the page opens with

// The node that a topic belongs to when so many groups are left: joins come in order.
function nodeAt(topic, n) {
  let node = topic;
  while (parentOf.has(node) && parentOf.get(node) < 2 * M - n) node = parentOf.get(node);
  return node;
}

let cut = first, now;  // now: the groups, largest first, and that of each topic

function regroup(n) {
  cut = tree ? Math.min(Math.max(n, 1), M) : M;
  const nodes = topics.map((topic) => nodeAt(topic.number, cut));
  const found = [...new Set(nodes)].sort((a, b) => shareOf[b] - shareOf[a] || a - b);
  const list = found.map((node, place) => ({
    node, place, share: shareOf[node],
    topics: [...membersOf[node]].sort((a, b) => topics[b].share - topics[a].share || a - b),
  }));
  const at = new Map(list.map((group) => [group.node, group]));
  now = { list, of: nodes.map((node) => at.get(node)) };
  now.shade = new Array(M);
  for (const group of list) group.topics.forEach((topic, place) => { now.shade[topic] = place % 3; });
}

const isThemes = () => themes !== null && cut === first;
const shownGroups = () => (isThemes() ? data.opens : counted(now.list.length, noun()));
const noun = () => (isThemes() ? "theme" : cut === M ? "topic" : "group");
// Names made of visual words say nothing.
const mute = (name) => patches !== null && name.split(" ").every((word) => words.includes(word));
const topicName = (topic) => (mute(topics[topic].name) ? "" : topics[topic].name);
const theme = (node) => (cut === first ? themeOf.get(node) : undefined);
const named = (node) => (theme(node) ? theme(node).name : node < M ? topics[node].name : themeOf.has(node) ? themeOf.get(node).name : tree.names[node - M]);
const nodeName = (node) => (mute(named(node)) ? (node < M ? `Topic ${node}` : counted(membersOf[node].length, "topic")) : named(node));
const nodeHref = (node) => (node < M ? `#topic-${node}` : `#group-${node}`) + suffix();
const suffix = () => (cut === first ? "" : `?cut=${cut}`);
const nodeWords = (node) => (themeOf.has(node) ? themeOf.get(node).words : node < M ? topics[node].words : tree.words[node - M]);
// Colour of a topic: the hue of its group, a shade of its own.
const tint = (topic) => ({ "data-c": now.of[topic].place % 10, "data-k": now.shade[topic] });
const hue = (group) => ({ "data-c": group.place % 10 });

// A visual word is shown as a patch.
const written = (n) => (patches ? make("img", { className: "patch", src: patches[n], alt: words[n], title: words[n] }) : make("bdi", {}, words[n]));
const spaced = (entries, most) => entries.slice(0, most).flatMap(([n]) => [written(n), " "]);
const dot = (colours) => make("span", { className: "dot", "aria-hidden": "true", ...colours });
const chip = (topic, share) =>
  make("a", { className: "chip", href: `#topic-${topic}${suffix()}`, ...tint(topic) },
    `${topic} `, make("bdi", {}, topicName(topic)), share === undefined ? "" : ` ${percent(share)}`);

// How many times as probable a word is as elsewhere.
const ratio = (times) => (times >= 1e4 ? "only here" : times < 0.01 ? "hardly ever" : `× ${times < 100 ? times.toPrecision(2) : whole(times)}`);

// ---- Documents by row, listed with their text or only named ----

const listedAt = new Map(documents.listed.map((doc) => [doc.row, doc]));
function titled(row) {
  const doc = listedAt.get(row);
  const [id, title] = doc ? [doc.id, doc.title] : documents.others[row];
  const text = [make("bdi", {}, title || id), ...(title && title !== id ? [" ", make("small", {}, make("bdi", {}, id))] : [])];
  return doc ? make("a", { href: `#document-${row}${suffix()}` }, ...text) : make("span", {}, ...text);
}
// The most typical documents of some topics: the first of each, then the second.
function typicalOf(list, most) {
  const out = new Set();
  for (let place = 0; place < 5 && out.size < most; place++)
    for (const topic of list) if (documents.typical[topic][place] !== undefined && out.size < most) out.add(documents.typical[topic][place]);
  return [...out];
}
function titles(list, most) {
  const rows = typicalOf(list, most);
  if (documents.kind === "pictures") return make("p", {}, ...rows.map((row) => listedAt.get(row)).filter((doc) => doc && doc.picture).map(thumbnail));
  return make("ul", { className: "titles" }, ...rows.map((row) => make("li", { dir: "auto" }, titled(row))));
}
const thumbnail = (doc) => make("img", { className: "thumbnail", src: doc.picture, alt: doc.id, title: doc.id });

// ---- Bars of words ----

let scale = "lift";
function bars(entries, colours, pinned = []) {
  const lift = (entry) => entry[1] / Math.max(entry[2], 1e-9 * entry[1]);
  const most = scale === "lift" ? Math.log(Math.max(...entries.map(lift), 2)) : Math.max(...entries.map((entry) => Math.max(entry[1], entry[2])), 1e-12);
  const table = make("table", { className: "bars" });
  for (const entry of entries) {
    const [word, probability, shared] = entry;
    const label = written(word);
    if (pinned.includes(word)) { label.classList.add("pinned"); label.title = "pinned by hand"; }
    const bar = (value, extra) => make("div", { className: "bar", width: `${Math.max(0, 100 * value)}%`, ...extra });
    const shown = scale === "lift" ? [bar(Math.log(Math.max(Math.min(lift(entry), Math.exp(most)), 1)) / most, colours)]
      : [bar(probability / most, colours), bar(shared / most, {})];
    table.append(make("tr", { title: `${percent(probability)} here, ${percent(shared)} in the shared vocabulary` },
      make("th", { scope: "row" }, make("a", { href: `#word-${word}${suffix()}` }, label)), make("td", {}, ...shown),
      make("td", { className: "n" }, scale === "lift" ? ratio(lift(entry)) : percent(probability))));
  }
  return table;
}
function scaleSwitch(redraw) {
  const button = (name, text) => {
    const made = make("button", { type: "button", "aria-pressed": String(scale === name) }, text);
    made.addEventListener("click", () => { scale = name; redraw(); });
    return made;
  };
  return make("p", { className: "tools" }, button("lift", "Lift"), button("probability", "Probability"), term(scale === "lift" ? "lift" : "shared", "What is this?"));
}
