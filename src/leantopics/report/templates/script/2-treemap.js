// ---- A treemap: areas are shares ----

const canvas = document.createElement("canvas").getContext("2d");
function widthOf(text, size, weight = 400) {
  canvas.font = `${weight} ${size}px system-ui, sans-serif`;
  return canvas.measureText(text).width;
}
function shortened(text, width, size, weight) {
  if (widthOf(text, size, weight) <= width) return text;
  let last = text.length;
  while (last > 0 && widthOf(`${text.slice(0, last)}…`, size, weight) > width) last--;
  return last > 2 ? `${text.slice(0, last).trimEnd()}…` : "";
}
// Lines of whole words, and whether all words are in them. What is left out shows as "…".
function wrapped(text, width, lines, size, weight) {
  const rows = [], fits = (line) => widthOf(line, size, weight) <= width;
  for (const word of text.split(" ")) {
    const longer = `${rows.at(-1)} ${word}`;
    if (rows.length && fits(longer)) rows[rows.length - 1] = longer;
    else if (rows.length < lines && fits(word)) rows.push(word);
    else {
      const last = (rows.pop() || shortened(word, width, size, weight)).replace(/,$/, "");
      return { rows: [...rows, !last || last.endsWith("…") || !fits(`${last} …`) ? last : `${last} …`].filter(Boolean), whole: false };
    }
  }
  return { rows, whole: true };
}
// The first way to write a text in which no word is left out, or else the last.
function fitting(text, ways) {
  let found;
  for (const [width, lines, size, weight] of ways) {
    found = { ...wrapped(text, width, lines, size, weight), size, weight, width };
    if (found.whole) break;
  }
  return found;
}

// Squarified: rows of tiles along the shorter side, as square as can be.
function squarify(values, x, y, width, height) {
  const total = values.reduce((sum, value) => sum + value, 0) || 1;
  const areas = values.map((value) => (value / total) * width * height);
  const out = [];
  let place = 0;
  while (place < areas.length) {
    const side = Math.max(Math.min(width, height), 1e-9);
    let sum = 0, worst = Infinity, next = place;
    while (next < areas.length) {
      const longer = sum + areas[next], depth = longer / side;
      const ratios = [areas[place], areas[next]].map((area) => { const long = area / depth; return Math.max(long / depth, depth / long); });
      if (Math.max(...ratios) > worst) break;
      worst = Math.max(...ratios); sum = longer; next++;
    }
    const depth = sum / side, across = width <= height;
    let along = across ? x : y;
    for (; place < next; place++) {
      const long = areas[place] / depth;
      out.push(across ? { x: along, y, width: long, height: depth } : { x, y: along, width: depth, height: long });
      along += long;
    }
    if (across) { y += depth; height -= depth; } else { x += depth; width -= depth; }
  }
  return out;
}

function lines(box, texts, pad = 7) {
  const rtl = texts.length > 0 && /^[^A-Za-z]*[\u0590-\u08ff]/.test(texts[0].text);
  return texts.map(({ text, className, y }) => {
    return draw("text", { x: rtl ? box.x + box.width - pad : box.x + pad, y: box.y + y, class: className, ...(rtl ? { direction: "rtl" } : {}) }, text);
  });
}
const rectangle = (box, attributes) => draw("rect", { x: box.x, y: box.y, width: Math.max(box.width, 0), height: Math.max(box.height, 0), ...attributes });

const roomy = (box) => box.width > 190 && box.height > 150;
// Name, share and words of a tile, as far as they fit; or nothing, if its name must be whole and is not.
function caption(box, name, { detail = [], more = "", whole = false }) {
  if (box.width < 34 || box.height < 18) return [];
  const way = (size, weight) => [box.width - 12, Math.min(Math.max(1, Math.floor((box.height - 8) / (size + 3)) - (box.height > 52 && !whole ? 1 : 0)), 4), size, weight];
  const big = roomy(box), text = big ? 15 : 12, step = text + 4;
  const { rows, size, whole: all } = fitting(name, [...(big ? [way(20, 600)] : []), ...(box.width < 60 || box.height < 34 ? [] : [way(14, 600)]), way(12, 400)]);
  if (whole && !all) return [];
  const out = rows.map((text, n) => ({ text, className: size === 20 ? "large" : size === 14 ? "name" : "small", y: (size + 3) * (n + 1) + 1 }));
  let below = (size + 3) * (rows.length + 1) + 2;
  const shown = detail.find((text) => widthOf(text, 12) <= box.width - 12);
  if (shown && below < box.height - 2) { out.push({ text: shown, className: "small", y: below }); below += big ? 22 : 18; }
  if (more && all && box.width > 80 && below + 12 < box.height)
    for (const line of wrapped(more, box.width - 12, Math.min(8, Math.floor((box.height - below) / step)), text).rows)
      out.push({ text: line, className: big ? "middle soft" : "small soft", y: (below += step) - 10 });
  return lines(box, out, 6);
}

// A group: a strip with its name, and its topics in it if there is room.
function groupTile(group, box, nested) {
  const name = nodeName(group.node), many = counted(group.topics.length, "topic");
  const link = draw("a", { href: nodeHref(group.node), "aria-label": `${name}, ${percent(group.share)} of all words, ${many}`, ...hue(group), "data-k": "w" });
  link.append(rectangle(box, { class: "tile" }));
  const share = percent(group.share), room = box.width - widthOf(share, 12) - 24;
  const head = fitting(name, [[room, 2, 14, 600], [box.width - 16, 2, 14, 600], [box.width - 16, 3, 12, 600]]), step = head.size + 3;
  const top = 8 + step * head.rows.length;
  const inner = { x: box.x + 5, y: box.y + top, width: box.width - 8, height: box.height - top - 3 };
  if (group.topics.length > 1 && nested && inner.width > 100 && inner.height > 60) {
    link.append(rectangle({ ...box, width: 4 }, { class: "edge" }), ...lines(box, head.rows.map((text, n) => ({ text, className: head.size === 14 ? "name" : "slim", y: step * (n + 1) })), 9));
    if (head.width === room) link.append(draw("text", { x: box.x + box.width - 6, y: box.y + 17, class: "small", "text-anchor": "end" }, share));
    squarify(group.topics.map((topic) => topics[topic].share), inner.x, inner.y, inner.width, inner.height).forEach((part, n) => {
      const topic = group.topics[n];
      link.append(draw("g", tint(topic), draw("title", {}, `${topic} ${topicName(topic)}`), rectangle(part, {}), ...caption(part, topicName(topic), { more: gist(topic), whole: true })));
    });
  } else
    link.append(rectangle({ ...box, width: 4 }, { class: "edge" }), ...caption({ ...box, x: box.x + 3, width: box.width - 3 }, name, { detail: [`${percent(group.share)} · ${many}`, percent(group.share)], more: group.topics.length > 1 ? (patches ? "" : group.topics.map(topicName).join(", ")) : gist(group.topics[0]) }));
  link.append(draw("title", {}, `${name}: ${percent(group.share)} of all words, ${many}`));
  return link;
}
// The first words of a topic, or its most typical pictures.
const gist = (topic) => (patches ? "" : topics[topic].words.slice(0, 14).map(([n]) => words[n]).filter((word) => !topicName(topic).split(" ").includes(word)).join(", "));
function photos(topic, box) {
  const top = roomy(box) ? 56 : 44, found = documents.typical[topic].map((row) => listedAt.get(row)).filter((doc) => doc && doc.picture), size = Math.min(96, box.width - 12), across = Math.max(1, Math.floor((box.width - 6) / (size + 6)));
  const down = Math.floor((box.height - top) / (size + 6));
  return size < 40 ? [] : found.slice(0, across * Math.max(down, 0)).map((doc, n) =>
    draw("image", { href: doc.picture, x: box.x + 6 + (n % across) * (size + 6), y: box.y + top + Math.floor(n / across) * (size + 6), width: size, height: size }));
}
function topicTile(topic, box) {
  const { share, documents: many } = topics[topic];
  const link = draw("a", { href: `#topic-${topic}${suffix()}`, "aria-label": `Topic ${topic} ${topicName(topic)}, ${percent(share)} of all words`, ...tint(topic) });
  link.append(rectangle(box, { class: "tile" }), ...caption(box, topicName(topic) || `Topic ${topic}`, { detail: [`${percent(share)} · ${counted(many, "document")}`, percent(share)], more: gist(topic) }), ...photos(topic, box),
    draw("title", {}, `${topic} ${topicName(topic)}: ${percent(share)} of all words, ${counted(many, "document")}`));
  return link;
}

function treemap(part, items, label, tall) {
  const width = Math.max(part.clientWidth, 280);
  const height = Math.round(width < 600 ? Math.min(tall * 1.1, 560) : tall);
  const boxes = squarify(items.map((item) => (typeof item === "number" ? topics[item].share : item.share)), 0, 0, width, height);
  const picture = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": label });
  items.forEach((item, n) => picture.append(typeof item === "number" ? topicTile(item, boxes[n]) : groupTile(item, boxes[n], width > 600)));
  picture.addEventListener("keydown", (event) => moveFocus(event, picture));
  part.replaceChildren(picture);
}

// Arrow keys move the focus to the nearest link in that direction.
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
function moveFocus(event, picture) {
  const way = ARROWS[event.key], from = document.activeElement.closest("a");
  if (!way || event.shiftKey || !from) return false;
  event.preventDefault();
  const centre = (link) => { const box = link.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; };
  const [x, y] = centre(from);
  let best = null, least = Infinity;
  for (const link of picture.querySelectorAll("a")) {
    const [u, v] = centre(link), ahead = (u - x) * way[0] + (v - y) * way[1], aside = Math.abs((u - x) * way[1]) + Math.abs((v - y) * way[0]);
    if (link !== from && ahead > 1 && ahead + 2 * aside < least) { least = ahead + 2 * aside; best = link; }
  }
  if (best) best.focus({ preventScroll: picture.closest(".mapbox") !== null });
  return best !== null;
}
