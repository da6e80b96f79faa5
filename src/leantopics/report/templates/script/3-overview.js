// ---- Overview: what is in here? ----

const overTime = groups.find((one) => one.period !== null);
function spark(node, colours) {
  const values = overTime.points[node].map((point) => point[0]), most = Math.max(...values, 1e-9);
  const place = (value, n) => `${((100 * n) / Math.max(values.length - 1, 1)).toFixed(1)} ${(29 - (26 * value) / most).toFixed(1)}`;
  const line = values.map(place).join("L"), names = overTime.names;
  const picture = draw("svg", { class: "spark", viewBox: "0 0 100 30", preserveAspectRatio: "none", role: "img", ...colours,
    "aria-label": `Share by ${overTime.period}, from ${names[0]} to ${names.at(-1)}, at most ${percent(most)}` });
  picture.append(draw("path", { class: "area", d: `M0 30L${line}L100 30Z` }), draw("path", { d: `M${line}` }));
  return [picture, make("p", { className: "meta ends" }, make("bdi", {}, names[0]), make("span", {}, `at most ${percent(most)}`), make("bdi", {}, names.at(-1)))];
}

function groupCard(group) {
  const own = theme(group.node), several = group.topics.length > 1;
  const about = [percent(group.share) + " of all words", several ? counted(group.topics.length, "topic") : "one topic"];
  if (own && own.found !== null) about.push(`found again in ${own.found} of ${repeats}`);
  const listed = nodeWords(group.node);
  return make("li", { className: "card", ...hue(group) },
    make("h3", {}, make("a", { href: nodeHref(group.node) }, make("bdi", {}, nodeName(group.node)))),
    make("p", { className: "meta" }, about.join(" · ")),
    make("p", { className: "words" }, ...(several && !patches ? group.topics.slice(0, 4).flatMap((topic, n) => [n ? ", " : "", make("bdi", {}, topicName(topic))]).concat(group.topics.length > 4 ? [` and ${group.topics.length - 4} more`] : []) : spaced(listed, 8))),
    ...(overTime ? spark(group.node, hue(group)) : []), titles(group.topics, 3));
}
function topicCard(topic) {
  const { share, documents: many } = topics[topic];
  return make("li", { className: "card", ...tint(topic) },
    make("h3", {}, make("a", { href: `#topic-${topic}${suffix()}` }, make("small", {}, `${topicName(topic) ? topic : "Topic"} `), make("bdi", {}, topicName(topic) || String(topic)))),
    make("p", { className: "meta" }, `${percent(share)} of all words · ${counted(many, "document")}`),
    make("p", { className: "words" }, ...spaced(topics[topic].words, 10)),
    ...(overTime ? spark(topic, tint(topic)) : []), titles([topic], 2));
}

const CARDS = 12;
let allCards = false;
function showOverview() {
  const single = now.list.every((group) => group.topics.length === 1);
  find("overview-kind").textContent = isThemes() ? "Themes" : cut === M ? "Topics" : `${cut} groups of topics`;
  find("overview-hint").textContent = `The area of a ${noun()} is its share of all words.` + (single ? "" : ` Choose a ${noun()} to see its topics.`);
  treemap(find("overview-map"), single ? now.list.map((group) => group.node) : now.list, `Areas of ${shownGroups()}`, 520);
  const shown = allCards ? now.list : now.list.slice(0, CARDS);
  find("overview-cards").replaceChildren(...shown.map((group) => (single ? topicCard(group.node) : groupCard(group))));
  find("overview-more").hidden = shown.length === now.list.length;
  find("overview-more").textContent = `Show all ${shownGroups()}`;
}

// ---- A group of topics: a theme, or any node of the tree ----

function showGroup(node) {
  const list = [...membersOf[node]].sort((a, b) => topics[b].share - topics[a].share || a - b);
  const own = themeOf.get(node), group = now.of[list[0]], place = now.list.findIndex((one) => one.node === node);
  const colours = place >= 0 ? hue(now.list[place]) : hue(group);
  const step = (n) => make("a", { href: nodeHref(now.list[(place + n + now.list.length) % now.list.length].node) }, n < 0 ? "previous" : "next");
  const map = make("div", { className: "treemap" });
  const many = counted(list.length, "topic");
  const about = [`${percent(shareOf[node])} of all words`, many];
  if (own) about.push(counted(own.documents, "document"));
  if (own && own.found !== null) about.push(`found again in ${own.found} of ${counted(repeats, "fit")}`);
  const redraw = () => showGroup(node);
  const right = make("div", {}, ...(overTime ? [make("h3", {}, "Over time"), ...spark(node, colours)] : []),
    make("h3", {}, documents.kind === "pictures" ? "Typical pictures" : "Typical documents"), make("p", { className: "hint" }, "One of each of its largest topics."), titles(list, 8));
  const branch = make("div", { className: "tree" });
  find("group").replaceChildren(
    make("p", { className: "crumbs" }, make("a", { href: `#overview${suffix()}` }, `All ${noun()}s`), ...(place >= 0 && now.list.length > 1 ? [" · ", step(-1), " · ", step(1)] : [])),
    make("h2", { id: "group-head" }, dot(colours), own ? `Theme ${own.number} ` : "", make("bdi", {}, own && !mute(own.name) ? own.name : nodeName(node))),
    make("p", { className: "meta" }, about.join(" · "), ...(place < 0 ? [" · ", make("a", { href: `#group-${node}?cut=${cutOf(node)}` }, `show among ${cutOf(node)} groups`)] : [])), map,
    make("div", { className: "columns" }, make("div", {}, make("h3", {}, "Words"), scaleSwitch(redraw), bars(nodeWords(node).slice(0, 20), colours, own ? own.pinned : [])), right),
    make("h3", {}, "Its topics, and the price of joining them"), make("p", { className: "hint" }, "Topics that join further to the right are closer. The scale is the ", term("price"), " of a join in ", term("nat", "nats"), "."), branch);
  treemap(map, list, `Areas of ${many}`, Math.min(360, 140 + 20 * list.length));
  dendrogram(branch, node, list);
}
// The fewest groups among which a node is still one.
const cutOf = (node) => (parentOf.has(node) ? 2 * M - parentOf.get(node) : 1);
