// ---- Topics: one table, grouped, sorted, filtered ----

const open = new Set();
let order = { by: "share", down: true };
const rowsOf = new Map([...document.querySelectorAll("#topic-table tr[data-topic]")].map((row) => [Number(row.dataset.topic), row]));
const VALUES = {
  topic: (topic) => topic.number, share: (topic) => topic.share, documents: (topic) => topic.documents,
  coherence: (topic) => topic.coherence ?? -2, found: (topic) => topic.found ?? -1,
};
function hits(topic, text) {
  const parts = [String(topic.number), topicName(topic.number), ...topic.words.slice(0, 40).map(([n]) => words[n]), ...topic.classes.map((row) => row.label)];
  return parts.some((part) => part.toLowerCase().includes(text));
}
const sorted = (list) => [...list].sort((a, b) => {
  const value = VALUES[order.by], [x, y] = [value(topics[a]), value(topics[b])];
  return (order.down ? y - x : x - y) || a - b;
});

function showTopics() {
  const table = find("topic-table"), text = find("topic-find").value.trim().toLowerCase();
  const grouped = find("topic-grouped").checked && now.list.some((group) => group.topics.length > 1);
  find("topic-grouped").parentNode.hidden = now.list.every((group) => group.topics.length === 1);
  find("topic-open").hidden = !grouped;
  for (const body of [...table.tBodies]) body.remove();
  const wanted = (list) => sorted(list.filter((topic) => !text || hits(topics[topic], text)));
  let shown = 0;
  for (const group of grouped ? sortedGroups() : [{ node: null, topics: topics.map((topic) => topic.number) }]) {
    const list = wanted(group.topics);
    if (!list.length) continue;
    shown += list.length;
    const body = make("tbody", { className: "topics" });
    if (grouped) body.append(groupRow(group, list, text));
    for (const topic of list) {
      const row = rowsOf.get(topic);
      for (const [name, value] of Object.entries(tint(topic))) row.setAttribute(name, value);
      row.hidden = grouped && !text && !open.has(group.node);
      if (!row.hidden) waiting.push(topic);
      body.append(row);
    }
    table.append(body);
  }
  sampleSome();
  find("topic-count").textContent = text ? `${counted(shown, "topic")} found` : "";
  find("topic-open").textContent = open.size ? "Close all" : "Open all";
  for (const head of table.tHead.querySelectorAll("th[data-by]"))
    if (head.dataset.by === order.by) head.setAttribute("aria-sort", order.down ? "descending" : "ascending"); else head.removeAttribute("aria-sort");
}
// Many rows get their titles part by part, so that they open at once.
const waiting = [];
function sampleSome() {
  for (const topic of waiting.splice(0, 40)) sampled(rowsOf.get(topic), topic);
  if (waiting.length) setTimeout(sampleSome);
}
// The title of the most typical document, below the words.
function sampled(row, topic) {
  const cell = row.querySelector(".about"), rows = typicalOf([topic], 1);
  if (cell.children.length > 1 || !rows.length) return;
  if (documents.kind === "pictures") cell.append(titles([topic], 3));
  else cell.append(make("span", { className: "sample", dir: "auto" }, titled(rows[0])));
}
// What a group has in a column: its own number, or the mean of its topics, weighted by share.
function meanOf(group, key) {
  const known = group.topics.filter((topic) => topics[topic][key] !== null);
  const share = known.reduce((sum, topic) => sum + topics[topic].share, 0);
  return share > 0 ? known.reduce((sum, topic) => sum + topics[topic].share * topics[topic][key], 0) / share : null;
}
// The labels that are most frequent in the topics of a group.
function labelsOf(group, most = 2) {
  const sums = new Map();
  for (const topic of group.topics) for (const { label, share } of topics[topic].classes) sums.set(label, (sums.get(label) || 0) + share * topics[topic].share);
  return [...sums].sort((a, b) => b[1] - a[1]).slice(0, most).map(([label]) => label);
}
const documentsOf = (group) => (group.topics.length === 1 ? topics[group.topics[0]].documents : theme(group.node) ? theme(group.node).documents : null);
const GROUP_VALUES = {
  topic: (group) => Math.min(...group.topics), share: (group) => group.share, documents: (group) => documentsOf(group) ?? Math.max(...group.topics.map((topic) => topics[topic].documents)),
  coherence: (group) => meanOf(group, "coherence") ?? -2, found: (group) => meanOf(group, "found") ?? -1,
};
const sortedGroups = () => { const value = GROUP_VALUES[order.by]; return [...now.list].sort((a, b) => (order.down ? value(b) - value(a) : value(a) - value(b)) || a.place - b.place); };

function groupRow(group, list, text) {
  const expanded = Boolean(text) || open.has(group.node);
  const button = make("button", { type: "button", "aria-expanded": String(expanded) }, make("bdi", { className: "label" }, nodeName(group.node)));
  const row = make("tr", { className: "head", ...hue(group) }, make("th", { scope: "rowgroup" }, button),
    make("td", { className: "inside" }, `${counted(list.length, "topic")}: `, ...list.slice(0, 8).flatMap((topic, n) => [n ? ", " : "", make("bdi", {}, topicName(topic))])));
  const shown = { share: percent(group.share), documents: documentsOf(group) === null ? "" : whole(documentsOf(group)), coherence: meanOf(group, "coherence")?.toFixed(2) ?? "", found: meanOf(group, "found")?.toFixed(1) ?? "" };
  for (const head of [...find("topic-table").tHead.rows[0].cells].slice(2)) {
    const by = head.dataset.by, labels = by ? [] : labelsOf(group), mean = (by === "coherence" || by === "found") && list.length > 1;
    row.append(make("td", { className: by ? `n${mean ? " mean" : ""}` : "short", title: mean ? "mean of its topics" : labels.join(", "), "data-name": by || "" }, ...(by ? [shown[by]] : labels.flatMap((label, n) => [n ? ", " : "", make("bdi", {}, label)]))));
  }
  row.addEventListener("click", () => {
    const closing = open.has(group.node);
    if (closing) open.delete(group.node); else open.add(group.node);
    button.setAttribute("aria-expanded", String(!closing));
    for (const topic of list) { rowsOf.get(topic).hidden = closing; sampled(rowsOf.get(topic), topic); }
    find("topic-open").textContent = open.size ? "Close all" : "Open all";
  });
  return row;
}
function listenTopics() {
  for (const head of document.querySelectorAll("#topic-table th[data-by] button"))
    head.addEventListener("click", () => {
      const by = head.parentNode.dataset.by;
      order = { by, down: order.by === by ? !order.down : by !== "topic" };
      showTopics();
    });
  find("topic-find").addEventListener("input", showTopics);
  find("topic-grouped").addEventListener("change", showTopics);
  find("topic-open").addEventListener("click", () => {
    if (open.size) open.clear(); else for (const group of now.list) open.add(group.node);
    showTopics();
  });
}

// ---- A topic's own page ----

function showTopic(number) {
  const topic = topics[number], group = now.of[number], colours = tint(number);
  const siblings = group.topics, place = siblings.indexOf(number);
  const to = (n) => make("a", { href: `#topic-${siblings[(place + n + siblings.length) % siblings.length]}${suffix()}` }, n < 0 ? "previous" : "next");
  const crumbs = make("p", { className: "crumbs" }, make("a", { href: `#topics${suffix()}` }, "All topics"),
    ...(siblings.length > 1 ? [" › ", make("a", { href: nodeHref(group.node) }, make("bdi", {}, nodeName(group.node))), " · ", to(-1), " · ", to(1)] : []));
  const about = make("p", { className: "meta" }, `${percent(topic.share)} of all words · ${counted(topic.documents, "document")} · ${whole(topic.salient)} `, term("salient", `salient word${topic.salient === 1 ? "" : "s"}`));
  if (topic.found !== null) about.append(` · found again in ${topic.found} of ${counted(data.topicRepeats, "fit")}, `, `${percent(topic.stays)} of its salient words stay`);
  if (topic.coherence !== null) about.append(" · ", term("coherence"), ` ${topic.coherence.toFixed(2)}`);
  const listed = [...topic.words].sort((a, b) => b[3] - a[3]).filter((entry, n) => n < 25 || topic.pinned.includes(entry[0]));
  const left = make("div", {}, make("h3", {}, "Words"), scaleSwitch(() => showTopic(number)),
    ...(topic.pinned.length ? [make("p", { className: "hint" }, "A dotted line marks words that were pinned by hand.")] : []), bars(listed, colours, topic.pinned));
  if (topic.avoided.length)
    left.append(make("details", {}, make("summary", {}, "Words that it avoids"), make("p", { className: "hint" }, "It uses them less than the shared vocabulary does."),
      make("p", {}, ...topic.avoided.flatMap((n) => [written(n), " "]))));
  const right = make("div");
  const typical = titles([number], 5), inside = documents.listed.filter((doc) => doc.topics.some(([j]) => j === number)).length;
  right.append(make("h3", {}, documents.kind === "pictures" ? "Most typical pictures" : "Most typical documents"), typical,
    make("p", { className: "meta" }, make("a", { href: `#documents-${number}${suffix()}` }, `${whole(inside)} of ${counted(topic.documents, "document")}`), ` ${inside === 1 ? "is" : "are"} in this report.`));
  if (topic.siblings.length && !patches) right.append(make("h3", {}, "What sets it apart"), make("p", { className: "hint" }, "Beside its nearest siblings: the words that one uses more than the other, and how many times as much."), ...topic.siblings.map((other) => pair(number, other)));
  if (topic.classes.length)
    right.append(make("h3", {}, "Labels of its documents"), make("p", { className: "hint" }, "The fit did not use them."),
      make("ul", { className: "titles" }, ...topic.classes.map((row) => make("li", {}, make("bdi", {}, row.label), ` ${percent(row.share)}`))));
  for (const grouping of groups) right.append(make("h3", {}, grouping.period ? "Over time" : `By ${grouping.by}`), chart(grouping, number, colours));
  if (tree && M > 2) left.append(make("h3", {}, "Its place in the tree"), pathOf(number));
  find("topic").replaceChildren(crumbs, make("h2", { id: "topic-head" }, dot(colours), `Topic ${number} `, make("bdi", {}, topicName(number))), about, make("div", { className: "columns" }, left, right));
}

// Two siblings side by side: what each uses more than the other.
function pair(number, other) {
  const side = (topic, entries) => make("div", {}, make("h4", {}, topic === number ? "This topic" : chip(topic)),
    make("ol", {}, ...entries.map(([word, times]) => make("li", {}, written(word), make("small", {}, ratio(times))))));
  return make("div", { className: "pair", role: "group", "aria-label": `Compared with topic ${other.topic}` }, side(number, other.more), side(other.topic, other.less));
}

// The joins from a topic up to all topics, with their prices.
function pathOf(number) {
  const list = make("ol", { className: "path" });
  for (let node = number, steps = 0; parentOf.has(node); node = parentOf.get(node), steps++) {
    const parent = parentOf.get(node), [one, two] = children[parent - M], other = one === node ? two : one;
    const themed = themeOf.get(parent);
    if (steps >= 6 && !themed && parentOf.has(parent)) continue;
    list.append(make("li", {}, "joins ", make("a", { href: nodeHref(other) }, make("bdi", {}, nodeName(other))), membersOf[other].length > 1 ? ` (${counted(membersOf[other].length, "topic")})` : "",
      `, which ${costs(tree.prices[parent - M])}`, ...(themed ? [": theme ", make("a", { href: nodeHref(parent) }, make("bdi", {}, themed.name))] : [])));
    if (themed) break;
  }
  return list;
}
