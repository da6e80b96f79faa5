// ---- Map: circles near each other use similar words ----

const WORLD = 1000;
const lens = { k: 1, x: 0, y: 0 };  // a point p of the world is drawn at k p + (x, y)
let atlas = null;  // the picture, its circles and labels, and its size

// What shows the whole map, with a margin.
const startOf = (width, height) => (0.94 * Math.min(width, height)) / WORLD;

// Groups are moved apart to fill the box; circles of one group keep their places, and none overlap.
function spread(width, height) {
  const begin = startOf(width, height), places = [[], []];
  const own = new Map();
  topics.forEach(({ number: topic }) => { const node = nodeAt(topic, first); own.set(node, [...(own.get(node) || []), topic]); });
  [width, height].forEach((room, axis) => {
    const groups = [...own.values()].map((list) => {
      const low = Math.min(...list.map((topic) => data.map[topic][axis] - data.map[topic][2])), high = Math.max(...list.map((topic) => data.map[topic][axis] + data.map[topic][2]));
      return { list, centre: (low + high) / 2, half: (high - low) / 2 };
    });
    const ends = (by) => [Math.min(...groups.map((group) => by * group.centre - group.half)), Math.max(...groups.map((group) => by * group.centre + group.half))];
    const wanted = (room / (WORLD * begin)) * 0.96;
    let by = 1;
    while (by < 3 && ends(by + 0.02)[1] - ends(by + 0.02)[0] <= wanted && groups.length > 1) by += 0.02;
    const [low, high] = ends(by), shift = (room / (WORLD * begin) - low - high) / 2;
    for (const { list, centre } of groups) for (const topic of list) places[axis][topic] = (data.map[topic][axis] + (by - 1) * centre + shift) * WORLD;
  });
  return topics.map(({ number: topic }) => [places[0][topic], places[1][topic], data.map[topic][2] * WORLD]);
}

function showMap() {
  const part = find("map-box"), width = Math.max(part.clientWidth, 280), height = Math.round(Math.min(width < 600 ? width * 1.25 : width * 0.72, 760));
  const scene = draw("g"), labels = draw("g", { "aria-hidden": "true" });
  const picture = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "Map of topics: arrow keys go to the nearest topic, plus and minus zoom, Shift with arrow keys moves the map, 0 shows all" });
  picture.append(scene, labels);
  const points = spread(width, height);
  points.forEach(([x, y, r], topic) => {
    const link = draw("a", { href: `#topic-${topic}${suffix()}`, tabindex: topic === now.list[0].topics[0] ? 0 : -1, ...tint(topic),
      "aria-label": `Topic ${topic} ${topicName(topic)}, ${noun()} ${nodeName(now.of[topic].node)}` });
    link.append(draw("circle", { cx: x, cy: y, r }), ...sight(topic, x, y, 1.3 * r), draw("title", {}, `${topic} ${topicName(topic)} (${nodeName(now.of[topic].node)})`));
    scene.append(link);
  });
  picture.addEventListener("keydown", mapKeys);
  picture.addEventListener("focusin", (event) => intoView(event.target.closest("a")));
  part.querySelector("svg")?.remove();
  part.prepend(picture);
  const begin = startOf(width, height), home = atlas === null || lens.k === atlas.begin;
  atlas = { picture, scene, labels, width, height, begin, points };
  dragging(picture);
  find("map-hint").textContent = now.list.length < M ? `Colours are those of ${shownGroups()}; bold names are theirs. Topic names appear as you zoom in.` : "Names of small topics appear as you zoom in.";
  if (home) resetMap(); else placed();
}
// The most typical picture of a topic, in its circle.
function sight(topic, x, y, size) {
  const doc = documents.typical[topic].map((row) => listedAt.get(row)).find((one) => one && one.picture);
  return doc ? [draw("image", { href: doc.picture, x: x - size / 2, y: y - size / 2, width: size, height: size })] : [];
}
function resetMap() {
  Object.assign(lens, { k: atlas.begin, x: 0, y: 0 });
  placed();
}
function zoomMap(factor, x = atlas.width / 2, y = atlas.height / 2) {
  const k = Math.min(Math.max(lens.k * factor, atlas.begin * 0.8), atlas.begin * 40), by = k / lens.k;
  Object.assign(lens, { k, x: x - by * (x - lens.x), y: y - by * (y - lens.y) });
  placed();
}
function panMap(dx, dy) { lens.x += dx; lens.y += dy; placed(); }

// Labels are placed one by one, groups first and then topics by size, where none overlap.
// That of a group stands where it covers the fewest circles, least of all those of others,
// and waits for a closer view if it would cover two of these.
const FOREIGN = 5;
function placed() {
  const { scene, labels, width, height, begin, points } = atlas;
  scene.setAttribute("transform", `translate(${lens.x} ${lens.y}) scale(${lens.k})`);
  const boxes = [[width - 52, 0, width, 132]], out = [], circles = points.map(([x, y, r]) => [x * lens.k + lens.x, y * lens.k + lens.y, r * lens.k]);
  const boxOf = (rows, x, y, size, weight) => {
    const half = Math.max(...rows.map((row) => widthOf(row, size, weight))) / 2 + 3;
    return [x - half, y - size, x + half, y + 5 + (size + 2) * (rows.length - 1)];
  };
  const free = (box) => box[0] >= 0 && box[2] <= width && box[1] >= 0 && box[3] <= height && !boxes.some((other) => meet(box, other));
  const write = (rows, x, y, size, className, box) => {
    boxes.push(box);
    out.push(draw("text", { x, y, class: className }, ...rows.map((row, n) => draw("tspan", { x, dy: n ? size + 2 : 0 }, row))));
  };
  const several = now.list.filter((group) => group.topics.length > 1), size = width < 600 ? 12 : 14;
  for (const group of several) {
    const rows = wrapped(nodeName(group.node), width < 600 ? 96 : 170, 3, size, 700).rows, own = group.topics.map((topic) => circles[topic]);
    const [left, high] = [0, 1].map((axis) => Math.min(...own.map((one) => one[axis] - one[2]))), [right, low] = [0, 1].map((axis) => Math.max(...own.map((one) => one[axis] + one[2])));
    const tall = (size + 2) * (rows.length - 1), y = (high + low - tall) / 2 + 4;
    const half = boxOf(rows, 0, 0, size, 700)[2], x = Math.min(Math.max((left + right) / 2, half), width - half);
    const ways = [[x, high - 6 - tall], [x, low + size + 1], [x, y], [right + half, y], [left - half, y], [x, high + size], [x, low - tall - 4]];
    const price = (box) => circles.reduce((sum, one, topic) => sum + (covers(box, one) ? (now.of[topic] === group ? 1 : FOREIGN) : 0), 0);
    const best = ways.map((way) => [...way, boxOf(rows, ...way, size, 700)]).filter(([, , box]) => free(box)).map((way) => [price(way[2]), ...way]).sort((a, b) => a[0] - b[0])[0];
    if (best && best[0] < 2 * FOREIGN) write(rows, best[1], best[2], size, "theme", best[3]);
  }
  for (const group of now.list)
    for (const topic of group.topics) {
      const [x, y, r] = circles[topic], name = topicName(topic);
      if (x < 0 || x > width || y < 0 || y > height || !name) continue;
      const font = r > 60 ? 16 : 12, inside = wrapped(name, Math.max(1.7 * r, 60), 3, font, 400), rows = inside.whole ? inside.rows : [name];
      if (2 * r < 0.8 * Math.max(...rows.map((row) => widthOf(row, font))) && lens.k <= 2.5 * begin && several.length > 0) continue;
      const ways = [[x, y + font / 3 - (font / 2 + 1) * (rows.length - 1)], ...(lens.k > 4 * begin || several.length === 0 ? [[x, y + r + 14]] : [])];
      const found = ways.map((way) => [...way, boxOf(rows, ...way, font, 400)]).find(([, , box]) => free(box));
      if (found) write(rows, found[0], found[1], font, font > 12 ? "large" : "", found[2]);
    }
  labels.replaceChildren(...out);
}
const meet = (one, other) => one[0] < other[2] && one[2] > other[0] && one[1] < other[3] && one[3] > other[1];
const covers = (box, [x, y, r]) => Math.hypot(x - Math.min(Math.max(x, box[0]), box[2]), y - Math.min(Math.max(y, box[1]), box[3])) < 0.8 * r;

function intoView(link) {
  if (!link) return;
  const [x, y] = ["cx", "cy"].map((name) => Number(link.querySelector("circle").getAttribute(name)) * lens.k);
  const inside = x + lens.x > 20 && x + lens.x < atlas.width - 20 && y + lens.y > 20 && y + lens.y < atlas.height - 20;
  if (!inside) { lens.x = atlas.width / 2 - x; lens.y = atlas.height / 2 - y; placed(); }
  for (const other of atlas.scene.children) other.setAttribute("tabindex", other === link ? 0 : -1);
}
function mapKeys(event) {
  const way = ARROWS[event.key];
  if (way && event.shiftKey) panMap(-60 * way[0], -60 * way[1]);
  else if (way) { moveFocus(event, atlas.picture); return; }
  else if (event.key === "+" || event.key === "=") zoomMap(1.4);
  else if (event.key === "-") zoomMap(1 / 1.4);
  else if (event.key === "0") resetMap();
  else return;
  event.preventDefault();
}

// Drag with one pointer, pinch with two, zoom with the wheel.
function dragging(picture) {
  const pointers = new Map();
  let moved = 0;
  const local = (event) => { const box = picture.getBoundingClientRect(), by = atlas.width / box.width; return [(event.clientX - box.x) * by, (event.clientY - box.y) * by]; };
  picture.addEventListener("pointerdown", (event) => { pointers.set(event.pointerId, local(event)); moved = 0; });
  picture.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const after = local(event), others = [...pointers].filter(([id]) => id !== event.pointerId);
    pointers.set(event.pointerId, after);
    moved += Math.hypot(after[0] - before[0], after[1] - before[1]);
    if (moved > 4 && !picture.hasPointerCapture(event.pointerId)) { picture.setPointerCapture(event.pointerId); picture.classList.add("dragging"); }
    if (others.length) {
      const still = others[0][1], length = (point) => Math.max(Math.hypot(point[0] - still[0], point[1] - still[1]), 1);
      zoomMap(length(after) / length(before), (still[0] + after[0]) / 2, (still[1] + after[1]) / 2);
    } else panMap(after[0] - before[0], after[1] - before[1]);
  });
  for (const name of ["pointerup", "pointercancel", "pointerleave"])
    picture.addEventListener(name, (event) => { pointers.delete(event.pointerId); picture.classList.remove("dragging"); });
  picture.addEventListener("click", (event) => { if (moved > 4 && event.detail) event.preventDefault(); }, true);
  picture.addEventListener("dragstart", (event) => event.preventDefault());
  picture.addEventListener("wheel", (event) => { event.preventDefault(); zoomMap(Math.exp(-event.deltaY / 400), ...local(event)); }, { passive: false });
}
