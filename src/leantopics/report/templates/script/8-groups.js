// ---- Groups of documents: shares over time or by another field ----

const BARS = 8;
function chart(grouping, node, colours) {
  return grouping.period ? timeChart(grouping, node, colours) : barChart(grouping, node, colours);
}
const description = (grouping, n, [value, low, high]) => `${grouping.names[n]}: ${percent(value)}, ${percent(low)} to ${percent(high)} (${counted(grouping.documents[n], "document")})`;

function timeChart(grouping, node, colours) {
  const points = grouping.points[node], width = 340, height = 132, left = 44, base = 104, top = 10;
  const most = Math.max(...points.map((point) => point[2]), 1e-6);
  const x = (n) => left + ((width - left - 10) * n) / Math.max(points.length - 1, 1), y = (value) => base - ((base - top) * value) / most;
  const path = (place) => points.map((point, n) => `${x(n).toFixed(1)} ${y(point[place]).toFixed(1)}`);
  const names = grouping.names, picture = draw("svg", { class: "trend", viewBox: `0 0 ${width} ${height}`, role: "img", ...colours,
    "aria-label": `Share of all words by ${grouping.period}, from ${names[0]} to ${names.at(-1)}, between ${percent(Math.min(...points.map((p) => p[0])))} and ${percent(Math.max(...points.map((p) => p[0])))}` });
  for (const value of [0, most / 2, most])
    picture.append(draw("path", { class: "grid", d: `M${left} ${y(value)}H${width - 10}` }), draw("text", { class: "tick", x: left - 6, y: y(value) + 4, "text-anchor": "end" }, percent(Number(value.toPrecision(2)))));
  picture.append(draw("path", { class: "band", d: `M${path(2).join("L")}L${path(1).reverse().join("L")}Z` }), draw("path", { class: "thread", d: `M${path(0).join("L")}` }));
  points.forEach((point, n) => picture.append(draw("circle", { cx: x(n), cy: y(point[0]), r: points.length > 30 ? 2 : 3, fill: "var(--c)" }, draw("title", {}, description(grouping, n, point)))));
  const ends = points.length > 2 ? [0, Math.floor((points.length - 1) / 2), points.length - 1] : points.map((_, n) => n);
  ends.forEach((n) => picture.append(draw("text", { class: "tick", x: x(n), y: base + 18, "text-anchor": n === 0 ? "start" : n === points.length - 1 ? "end" : "middle" }, names[n])));
  return picture;
}

function barChart(grouping, node, colours) {
  const points = grouping.points[node], rows = points.map((_, n) => n).filter((n) => points[n][0] > 0).sort((a, b) => points[b][0] - points[a][0] || a - b).slice(0, BARS);
  if (!rows.length) return make("p", { className: "meta" }, "In none of the groups");
  const width = 340, label = Math.min(Math.max(...rows.map((n) => widthOf(grouping.names[n], 12))) + 10, 170), row = 20, most = Math.max(...rows.map((n) => points[n][2]), 1e-6), x = (value) => label + ((width - label - 44) * value) / most;
  const picture = draw("svg", { class: "trend", viewBox: `0 0 ${width} ${rows.length * row + 24}`, role: "img", ...colours,
    "aria-label": `Share by ${grouping.by}, most in ${rows.slice(0, 3).map((n) => `${grouping.names[n]} (${percent(points[n][0])})`).join(", ")}` });
  rows.forEach((n, place) => {
    const [value, low, high] = points[n], y = place * row + 3;
    picture.append(draw("g", {}, draw("title", {}, description(grouping, n, points[n])), draw("text", { x: label - 6, y: y + 11, "text-anchor": "end" }, shortened(grouping.names[n], label - 8, 12)),
      draw("rect", { x: label, y, width: Math.max(x(value) - label, 1), height: 13, rx: 2 }), draw("path", { class: "reach", d: `M${x(low)} ${y + 6.5}H${x(high)}` }),
      draw("text", { class: "tick", x: x(high) + 5, y: y + 11 }, percent(Number(value.toPrecision(2))))));
  });
  picture.append(draw("text", { class: "tick", x: label, y: rows.length * row + 18 }, "share of all words"));
  return picture;
}

let field = 0;
function showGroups() {
  if (!groups.length) return;
  const grouping = groups[field];
  for (const button of document.querySelectorAll("#group-fields button")) button.setAttribute("aria-pressed", String(Number(button.value) === field));
  for (const hint of document.querySelectorAll("#groups .about")) hint.hidden = Number(hint.dataset.place) !== field;
  const spread = (node) => { const values = grouping.points[node].map((point) => point[0]); return Math.max(...values) - Math.min(...values); };
  const list = [...now.list].sort((a, b) => spread(b.node) - spread(a.node));
  find("group-list").replaceChildren(...list.map((group) => {
    const item = make("li", { className: "card", ...hue(group) },
      make("h3", {}, make("a", { href: nodeHref(group.node) }, make("small", {}, group.node < M && !theme(group.node) ? `${group.node} ` : ""), make("bdi", {}, nodeName(group.node)))), chart(grouping, group.node, hue(group)));
    if (group.topics.length > 1) {
      const inside = make("details", {}, make("summary", {}, `Its ${counted(group.topics.length, "topic")}`));
      inside.addEventListener("toggle", () => {
        if (!inside.open || inside.children.length > 1) return;
        for (const topic of [...group.topics].sort((a, b) => spread(b) - spread(a)))
          inside.append(make("h4", {}, make("a", { href: `#topic-${topic}${suffix()}` }, `${topic} `, make("bdi", {}, topicName(topic)))), chart(grouping, topic, tint(topic)));
      });
      item.append(inside);
    }
    return item;
  }));
}
function listenGroups() {
  for (const button of document.querySelectorAll("#group-fields button")) button.addEventListener("click", () => { field = Number(button.value); showGroups(); });
}
