// ---- Map: circles near each other use similar words ----

const WORLD = 1000;
const lens = { k: 1, x: 0, y: 0 };  // a point p of the world is drawn at k p + (x, y)
let atlas = null;  // the picture, its circles and labels, and its size

function showMap() {
  const part = find("map-box"), width = Math.max(part.clientWidth, 280), height = Math.round(Math.min(width < 600 ? width * 1.25 : width * 0.72, 760));
  const scene = draw("g"), labels = draw("g", { "aria-hidden": "true" });
  const picture = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "Map of topics: arrow keys go to the nearest topic, plus and minus zoom, Shift with arrow keys moves the map, 0 shows all" });
  picture.append(scene, labels);
  data.map.forEach(([x, y, r], topic) => {
    const link = draw("a", { href: `#topic-${topic}${suffix()}`, tabindex: topic === now.list[0].topics[0] ? 0 : -1, ...tint(topic),
      "aria-label": `Topic ${topic} ${topicName(topic)}, ${noun()} ${nodeName(now.of[topic].node)}` });
    link.append(draw("circle", { cx: x * WORLD, cy: y * WORLD, r: r * WORLD }), draw("title", {}, `${topic} ${topicName(topic)} (${nodeName(now.of[topic].node)})`));
    scene.append(link);
  });
  picture.addEventListener("keydown", mapKeys);
  picture.addEventListener("focusin", (event) => intoView(event.target.closest("a")));
  part.querySelector("svg")?.remove();
  part.prepend(picture);
  const begin = Math.min(width, height) / WORLD;
  atlas = { picture, scene, labels, width, height, begin };
  dragging(picture);
  find("map-hint").textContent = now.list.length < M ? `Colours are those of ${counted(now.list.length, noun())}; bold names stand in the middle of theirs. Topic names appear as you zoom in.` : "Names of small topics appear as you zoom in.";
  if (lens.k === 1 && lens.x === 0) resetMap(); else placed();
}
function resetMap() {
  const { width, height, begin } = atlas;
  Object.assign(lens, { k: begin, x: (width - WORLD * begin) / 2, y: (height - WORLD * begin) / 2 });
  placed();
}
function zoomMap(factor, x = atlas.width / 2, y = atlas.height / 2) {
  const k = Math.min(Math.max(lens.k * factor, atlas.begin * 0.8), atlas.begin * 40), by = k / lens.k;
  Object.assign(lens, { k, x: x - by * (x - lens.x), y: y - by * (y - lens.y) });
  placed();
}
function panMap(dx, dy) { lens.x += dx; lens.y += dy; placed(); }

// Labels are placed one by one, groups first and then topics by size, where none overlap.
function placed() {
  const { scene, labels, width, height, begin } = atlas;
  scene.setAttribute("transform", `translate(${lens.x} ${lens.y}) scale(${lens.k})`);
  const boxes = [], out = [];
  const place = (text, x, y, size, weight, className) => {
    const half = widthOf(text, size, weight) / 2 + 3;
    const box = [x - half, y - size, x + half, y + 5];
    if (box[0] < 0 || box[2] > width || box[1] < 0 || box[3] > height) return false;
    if (boxes.some((other) => box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1])) return false;
    boxes.push(box);
    out.push(draw("text", { x, y, class: className }, text));
    return true;
  };
  const at = ([x, y, r]) => [x * WORLD * lens.k + lens.x, y * WORLD * lens.k + lens.y, r * WORLD * lens.k];
  const several = now.list.filter((group) => group.topics.length > 1);
  const small = width < 600, size = small ? 12 : 14;
  for (const group of several) {
    const points = group.topics.map((topic) => at(data.map[topic]));
    const [left, right] = [Math.min(...points.map(([u, , r]) => u - r)), Math.max(...points.map(([u, , r]) => u + r))];
    const [high, low] = [Math.min(...points.map(([, v, r]) => v - r)), Math.max(...points.map(([, v, r]) => v + r))];
    const x = (left + right) / 2;
    const text = small ? nodeName(group.node).split(" ").slice(0, 2).join(" ") : nodeName(group.node);
    [high + size - 2, (high + low) / 2 + 4, low - 2].some((y) => place(text, x, y, size, 700, "theme"));
  }
  for (const group of now.list)
    for (const topic of group.topics) {
      const [x, y, r] = at(data.map[topic]), name = topicName(topic);
      const fits = 2 * r > 0.8 * widthOf(name, 12) || lens.k > 2.5 * begin || several.length === 0;
      if (fits) place(name, x, y + 4, 12, 400, "") || (lens.k > 4 * begin && place(name, x, y + r + 14, 12, 400, ""));
    }
  labels.replaceChildren(...out);
}

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
