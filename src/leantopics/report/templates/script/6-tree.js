// ---- Tree: joins with their prices, cut by a slider ----

// Height of each node: its price, or that of a node below it if that is more.
const heightOf = topics.map(() => 0);
children.forEach(([one, two], step) => heightOf.push(Math.max(tree.prices[step], heightOf[one], heightOf[two], 1)));

// The tree of some leaves below a root, as rows of text at the ends of its branches.
function dendrogram(part, root, leaves, { href = nodeHref, here = null } = {}) {
  const ends = new Set(leaves), rows = [], width = Math.max(part.clientWidth, 280), phone = width < 600, label = Math.min(Math.max(width * 0.42, 210), 420), bar = phone ? 8 : 46, row = 22;
  const order = (node) => {
    if (ends.has(node)) { rows.push(node); return; }
    const pair = [...children[node - M]].sort((a, b) => shareOf[b] - shareOf[a]);
    pair.forEach(order);
  };
  order(root);
  const inner = [...heights(root, ends)], low = Math.max(Math.min(...inner.filter((h) => h > 1), heightOf[root]) * 0.6, 1), high = Math.max(heightOf[root], low * 1.5) * 1.05;
  const left = 14, right = width - label;
  const x = (height) => (height <= low ? right : right - ((right - left) * Math.log(height / low)) / Math.log(high / low));
  const y = new Map(rows.map((node, n) => [node, 34 + row * n]));
  const most = Math.max(...rows.map((node) => shareOf[node]));
  const picture = draw("svg", { viewBox: `0 0 ${width} ${40 + row * rows.length}`, role: "group", "aria-label": `Tree of ${counted(rows.length, "branch").replace(/branchs$/, "branches")}` });
  for (let price = 10 ** Math.ceil(Math.log10(low)), next = width; price <= high; price *= 10) {
    if (next - x(price) < 44) continue;
    next = x(price);
    picture.append(draw("path", { class: "grid", d: `M${x(price)} 22V${30 + row * rows.length}` }), draw("text", { class: "tick", x: x(price), y: 14, "text-anchor": x(price) < 30 ? "start" : "middle" }, whole(price)));
  }
  const middle = (node) => {
    if (ends.has(node)) return y.get(node);
    const [a, b] = children[node - M], [u, v] = [middle(a), middle(b)], at = x(heightOf[node]);
    const join = draw("g", {}, draw("path", { d: `M${at} ${u}V${v}M${at} ${u}H${ends.has(a) ? right : x(heightOf[a])}M${at} ${v}H${ends.has(b) ? right : x(heightOf[b])}` }),
      draw("circle", { cx: at, cy: (u + v) / 2, r: 3 }), draw("title", {}, `${nodeName(a)} and ${nodeName(b)} join, which ${costs(tree.prices[node - M])}`));
    picture.append(join);
    return (u + v) / 2;
  };
  middle(root);
  for (const node of rows) {
    const group = now.of[membersOf[node][0]], colours = now.list[group.place].node === node || node >= M ? hue(group) : tint(node);
    const many = membersOf[node].length, about = `${percent(shareOf[node])}${many > 1 && !phone ? ` · ${many}` : ""}`;
    const link = draw("a", { href: href(node), "aria-label": `${nodeName(node)}, ${percent(shareOf[node])} of all words, ${counted(many, "topic")}`, class: node === here ? "here" : "", ...colours });
    const room = label - bar - 32 - widthOf(about, 11);
    link.append(draw("rect", { x: right + 8, y: y.get(node) - 6, width: phone ? bar : Math.max(1.5, (bar * shareOf[node]) / most), height: 12, rx: 2 }),
      draw("text", { x: right + bar + 14, y: y.get(node) + 4 }, shortened(nodeName(node), room, 13)),
      draw("text", { class: "count", x: width - 2, y: y.get(node) + 4, "text-anchor": "end" }, about), draw("title", {}, nodeName(node)));
    picture.append(link);
  }
  picture.addEventListener("keydown", (event) => moveFocus(event, picture));
  part.replaceChildren(picture);
}
function* heights(node, ends) {
  if (ends.has(node)) return;
  yield heightOf[node];
  for (const child of children[node - M]) yield* heights(child, ends);
}

function showTree() {
  find("tree-range").value = find("tree-number").value = cut;
  find("tree-range").setAttribute("aria-valuetext", shownGroups());
  for (const button of document.querySelectorAll("#tree-levels button")) button.setAttribute("aria-pressed", String(Number(button.value) === cut));
  const step = M - cut;
  if (step < children.length) {
    const [one, two] = children[step];
    find("tree-next").replaceChildren("Next to join: ", make("a", { href: nodeHref(one) }, make("bdi", {}, nodeName(one))), " and ", make("a", { href: nodeHref(two) }, make("bdi", {}, nodeName(two))),
      `, which ${costs(tree.prices[step])}.`);
  } else find("tree-next").textContent = "All topics are one group.";
  dendrogram(find("tree-box"), 2 * M - 2, now.list.map((group) => group.node));
}

// A new cut shows in every view, and in the address.
function setCut(n) {
  const wanted = Math.min(Math.max(Math.round(n) || 1, 1), M);
  if (wanted === cut) return;
  regroup(wanted);
  open.clear();
  const [path, query] = location.hash.slice(1).split("?"), parameters = new URLSearchParams(query);
  if (cut === first) parameters.delete("cut"); else parameters.set("cut", cut);
  const text = parameters.toString();
  history.replaceState(null, "", `#${path || "overview"}${text ? `?${text}` : ""}`);
  marked();
  show(view);
}
function listenTree() {
  for (const id of ["tree-range", "tree-number"]) find(id).addEventListener(id === "tree-range" ? "input" : "change", (event) => setCut(Number(event.target.value)));
  for (const button of document.querySelectorAll("#tree-levels button")) button.addEventListener("click", () => setCut(Number(button.value)));
}
