// ---- Views and their addresses: #topic-12, #group-250?cut=20, #documents-3 ----

let view = "overview", number = null;
const VIEWS = {
  overview: showOverview, topics: showTopics, map: showMap, words: () => {}, groups: showGroups,
  topic: () => showTopic(number), group: () => showGroup(number), documents: () => { fillGroups(); restart(); },
  tree: () => { if (find("tree")) showTree(); },
};
const TABS = { topic: "topics", group: "overview", word: "words", document: "documents", theme: "overview" };
const LIMITS = { topic: M, word: words.length, group: 2 * M - 1, theme: (themes || []).length };

function show(name) { if (VIEWS[name]) VIEWS[name](); }

// The cut is named where it is not the one that the page opens with.
function marked() {
  find("cut-note").hidden = cut === first;
  find("cut-text").textContent = `Cut into ${counted(cut, "group")}`;
  for (const link of document.querySelectorAll("nav a")) link.setAttribute("href", link.hash.split("?")[0] + suffix());
}

function route() {
  const [path, query] = location.hash.slice(1).split("?"), [name, digits] = path.split("-");
  const parameters = new URLSearchParams(query), wanted = Number(parameters.get("cut") || first);
  if (wanted !== cut && tree && Number.isInteger(wanted)) { regroup(wanted); open.clear(); }
  marked();
  number = /^\d+$/.test(digits || "") ? Number(digits) : null;
  let next = document.getElementById(name)?.matches("section.view") || TABS[name] ? name : "overview";
  if (next in LIMITS && !(number !== null && number < LIMITS[next])) next = TABS[next];
  if (next === "theme") { number = themes[number].node; next = number === null ? "overview" : "group"; }
  if (next === "group" && number < M) next = "topic";
  if (next === "word") { find("word-find").value = words[number]; find("word-found").replaceChildren(showWord(number)); next = "words"; }
  only = next === "document" && listedAt.has(number) ? number : null;
  if (next === "document") next = "documents";
  else if (next === "documents") readFilters(parameters);
  for (const section of document.querySelectorAll("section.view")) section.hidden = section.id !== next;
  for (const link of document.querySelectorAll("nav a"))
    if (link.hash.slice(1).split("?")[0] === (TABS[next] || next)) { link.setAttribute("aria-current", "page"); link.scrollIntoView({ block: "nearest", inline: "nearest" }); } else link.removeAttribute("aria-current");
  view = next;
  show(view);
  scrollTo(0, 0);
}
// The filters of documents are in the address, too.
const FILTERS = [["q", "doc-find"], ["label", "doc-label"], ["date", "doc-date"]];
function remember() {
  const parameters = new URLSearchParams(suffix());
  for (const [key, id] of FILTERS) if (find(id).value) parameters.set(key, find(id).value);
  const topic = find("doc-topic").value, text = parameters.toString();
  history.replaceState(null, "", `#documents${topic && `-${topic}`}${text && `?${text}`}`);
}
function readFilters(parameters) {
  if (number !== null && number < M) { find("doc-topic").value = String(number); find("doc-sort").value = "typical"; }
  for (const [key, id] of FILTERS) if (parameters.has(key)) find(id).value = parameters.get(key);
}

function shade(dark) {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  find("shade").setAttribute("aria-pressed", String(dark));
}
find("shade").addEventListener("click", () => shade(find("shade").getAttribute("aria-pressed") !== "true"));
if (matchMedia("(prefers-color-scheme: dark)").matches) shade(true);
find("overview-more").addEventListener("click", () => { allCards = true; showOverview(); });
find("map-in").addEventListener("click", () => zoomMap(1.5));
find("map-out").addEventListener("click", () => zoomMap(1 / 1.5));
find("map-all").addEventListener("click", resetMap);
find("word-find").addEventListener("input", findWords);
find("cut-back").addEventListener("click", () => setCut(first));
// An explanation opens beside its term.
document.addEventListener("click", (event) => {
  const button = event.target.closest(".term");
  if (!button) return;
  const box = button.getBoundingClientRect(), note = find(button.getAttribute("popovertarget"));
  note.style.left = `${Math.max(8, Math.min(box.left, innerWidth - note.offsetWidth - 8))}px`;
  note.style.top = `${box.bottom + note.offsetHeight + 12 > innerHeight ? Math.max(8, box.top - note.offsetHeight - 6) : box.bottom + 6}px`;
});
function showPatches() {
  for (const part of document.querySelectorAll("[data-word]")) part.replaceChildren(written(Number(part.dataset.word)));
}
regroup(first);
listenTopics();
exampleWords();
listenDocuments();
if (find("tree")) listenTree();
if (groups.length) listenGroups();
if (patches) showPatches();
addEventListener("hashchange", route);
let wide = innerWidth;
addEventListener("resize", () => { if (innerWidth !== wide) { wide = innerWidth; if (["overview", "group", "map", "tree"].includes(view)) show(view); } });
let before = null;  // paper is white
addEventListener("beforeprint", () => { before = document.documentElement.dataset.theme; if (before) document.documentElement.dataset.theme = "light"; for (const name of ["overview", "topics", "map", "tree", "groups"]) { const part = find(name); if (part) { part.hidden = false; show(name); } } });
addEventListener("afterprint", () => { if (before) document.documentElement.dataset.theme = before; route(); });
route();
