// ---- Documents: coloured by group and topic, searched and filtered ----

function pieces(doc) {
  const part = make("p", { className: "document", dir: "auto", tabIndex: 0, role: "group", "aria-label": `Text of ${doc.title || doc.id}` });
  const alone = (text) => (documents.kind === "words" ? make("bdi", {}, text) : text);  // a list, not a sentence
  for (const piece of doc.pieces)
    part.append(typeof piece === "string" ? alone(piece) : make("mark", { title: `topic ${piece[1]}: ${topicName(piece[1])}`, ...tint(piece[1]) }, alone(piece[0])));
  if (doc.cut) part.append(" …");
  return part;
}

function receipts(doc) {  // what each topic earned over its price, and by how much it beats the next best one
  const beats = ([, , other, margin]) => (margin === null ? "" : `, ${margin.toFixed(0)} more than ${other < 0 ? "none" : topicName(other)} would`);
  if (!doc.receipt || doc.receipt.length === 0) return [];
  return [make("p", { className: "meta" }, doc.receipt.map((row) => `${topicName(row[0])} earns ${row[1].toFixed(0)} nats over its price${beats(row)}`).join("; "))];
}

let shown = PAGE, only = null;
const chosen = (id) => (find(id) ? find(id).value : "");
function wantedDocuments() {
  const topic = chosen("doc-topic") === "" ? null : Number(chosen("doc-topic")), node = chosen("doc-group") === "" ? null : Number(chosen("doc-group"));
  const text = find("doc-find").value.trim().toLowerCase(), label = chosen("doc-label"), date = chosen("doc-date");
  const inside = topic !== null ? [topic] : node !== null ? membersOf[node] : null;
  const wanted = inside && new Set(inside);
  const share = (doc) => (wanted ? doc.topics.reduce((sum, [j, value]) => sum + (wanted.has(j) ? value : 0), 0) : (doc.topics[0] || [0, 0])[1]);
  const contains = (doc) => [doc.id, doc.title || "", ...doc.labels, (doc.pieces || []).map((piece) => (typeof piece === "string" ? piece : piece[0])).join("")]
    .some((part) => part.toLowerCase().includes(text));
  const found = documents.listed.filter((doc) => (only === null || doc.row === only) && (!wanted || doc.topics.some(([j]) => wanted.has(j))) &&
    (!label || doc.labels.includes(label)) && (!date || doc.date === date) && (!text || contains(doc)));
  const sort = chosen("doc-sort");
  if (sort === "typical") found.sort((a, b) => share(b) - share(a) || a.row - b.row);
  if (sort === "shared") found.sort((a, b) => (b.shared || 0) - (a.shared || 0) || a.row - b.row);
  return found;
}

function showDocuments() {
  const found = wantedDocuments();
  find("doc-count").replaceChildren(counted(found.length, "document"), ...(only === null ? [] : [" · ", make("a", { href: `#documents${suffix()}` }, "show all")]));
  find("doc-list").replaceChildren(...found.slice(0, shown).map((doc) =>
    make("li", {}, make("h3", { dir: "auto" }, make("a", { href: `#document-${doc.row}${suffix()}` }, make("bdi", {}, doc.title || doc.id))),
      make("p", { className: "meta" }, ...[...(doc.title ? [doc.id] : []), ...(doc.date ? [doc.date] : []), ...doc.labels].flatMap((text, n) => [n ? " · " : "", make("bdi", {}, text)])),
      ...doc.topics.map(([topic, share]) => chip(topic, share)),
      ...(doc.shared === undefined ? [] : [make("small", {}, `${percent(doc.shared)} of its words are shared`)]),
      ...receipts(doc), ...(doc.pieces ? [pieces(doc)] : []), ...(doc.picture ? [make("div", {}, thumbnail(doc))] : []))));
  find("doc-more").hidden = found.length <= shown;
}
function filtered() { only = null; remember(); restart(); }
function restart() { shown = PAGE; showDocuments(); }

const options = (select, all, entries) => select.replaceChildren(make("option", { value: "" }, all), ...entries.map(([value, text]) => make("option", { value: String(value) }, text)));
function fillGroups() {
  const several = now.list.filter((group) => group.topics.length > 1), before = find("doc-group").value;
  find("doc-group").parentNode.hidden = several.length === 0;
  options(find("doc-group"), "all", several.map((group) => [group.node, nodeName(group.node)]));
  if (several.some((group) => String(group.node) === before)) find("doc-group").value = before;
}
function listenDocuments() {
  const labels = [...new Set(documents.listed.flatMap((doc) => doc.labels))].sort(), dates = [...new Set(documents.listed.map((doc) => doc.date).filter(Boolean))].sort();
  options(find("doc-topic"), "all", topics.map((topic) => [topic.number, `${topic.number} ${topicName(topic.number)}`]));
  options(find("doc-label"), "all", labels.map((label) => [label, label]));
  options(find("doc-date"), "all", dates.map((date) => [date, date]));
  find("doc-label").parentNode.hidden = labels.length < 2;
  find("doc-date").parentNode.hidden = dates.length < 2;
  for (const id of ["doc-topic", "doc-group", "doc-label", "doc-date", "doc-sort"]) find(id).addEventListener("change", filtered);
  find("doc-find").addEventListener("input", filtered);
  find("doc-more").addEventListener("click", () => { shown += PAGE; showDocuments(); });
}

// ---- Words: the topics that use a word more than others do ----

function showWord(number) {
  const rows = [];
  for (let e = vocabulary.indptr[number]; e < vocabulary.indptr[number + 1]; e++) rows.push([vocabulary.topic[e], vocabulary.times[e]]);
  rows.sort((a, b) => b[1] - a[1]);
  const most = Math.log(Math.max(...rows.map((row) => row[1]), 2));
  const body = make("tbody");
  for (const [topic, times] of rows)
    body.append(make("tr", {}, make("td", {}, chip(topic)), make("td", {}, make("div", { className: "bar", width: `${(100 * Math.log(Math.min(Math.max(times, 1), Math.exp(most)))) / most}%`, ...tint(topic) })),
      make("td", { className: "n" }, ratio(times)), make("td", { className: "n" }, percent(times * vocabulary.probability[number]))));
  const heads = make("tr", {}, make("th", { scope: "col" }, "topic"), make("th", { scope: "col" }, term("lift")), make("th", { scope: "col", className: "n" }, "times"), make("th", { scope: "col", className: "n" }, "probability"));
  return make("div", {}, make("h3", {}, written(number), patches ? ` ${words[number]}` : ""),
    make("p", {}, `${percent(vocabulary.probability[number])} of all words. ` +
      (rows.length ? `Salient in ${rows.length} of ${counted(M, "topic")}:` : "Salient in no topic: it belongs to the shared vocabulary.")),
    ...(rows.length ? [make("div", { className: "scroll", tabIndex: 0, role: "group", "aria-label": "Table" }, make("table", {}, make("thead", {}, heads), body))] : []));
}
// The first words of the largest topics, to begin with.
function exampleWords() {
  const some = [...new Set(topics.map((topic) => topic.words[0]).filter(Boolean).map(([n]) => n))].slice(0, 8);
  if (some.length) find("word-examples").replaceChildren("For example ", ...some.flatMap((n, place) => [place ? ", " : "", make("a", { href: `#word-${n}` }, written(n))]));
}
function findWords() {
  const wanted = find("word-find").value.trim().toLowerCase();
  if (!wanted) return find("word-found").replaceChildren();
  const hits = [];
  words.forEach((word, n) => { if (word.toLowerCase().startsWith(wanted)) hits.push(n); });
  const exact = hits.filter((n) => words[n].toLowerCase() === wanted);
  hits.sort((a, b) => vocabulary.probability[b] - vocabulary.probability[a]);
  const best = exact.length ? exact[0] : hits[0];
  const others = hits.filter((n) => n !== best).slice(0, 30);
  find("word-found").replaceChildren(
    ...(best === undefined ? [make("p", {}, "No word starts like this.")] : [showWord(best)]),
    ...(others.length ? [make("p", {}, "Also: ", ...others.flatMap((n) => [make("a", { href: `#word-${n}` }, written(n)), " "]))] : []));
}
