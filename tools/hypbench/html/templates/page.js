/* SPDX-License-Identifier: Apache-2.0 */
/* The choosers, the charts, and the rows of summary.csv. */
"use strict";
let charts, csv, records;
const board = document.getElementById("board"), config = document.getElementById("config");
const question = document.getElementById("question");
const EVERY = "every configuration", BASE = ["native", "hypbench"];
const article = () => document.getElementById(board.value);

const bytes = text => Uint8Array.from(atob(text), char => char.charCodeAt(0));

async function unpack() {
  const packed = new Blob([bytes(document.getElementById("data").textContent)]);
  const text = await new Response(packed.stream().pipeThrough(new DecompressionStream("gzip")))
    .text();
  ({charts, csv, records} = JSON.parse(text));
}

function all(values, keep) {
  return values.filter(one => one.config === undefined || keep(one.config));
}

/* Configurations that a chart of this board names; a chart without the chosen one is left whole. */
function configurations() {
  const names = new Set();
  for (const figure of article().querySelectorAll(".interrupts figure"))
    for (const one of charts[figure.id].data.values)
      if (one.config && !BASE.includes(one.config)) names.add(one.config);
  config.replaceChildren(...[EVERY, ...names].map(name => new Option(name)));
}

function chosen(spec) {
  const keep = name => name === config.value || BASE.includes(name);
  const values = spec.data.values;
  if (config.value === EVERY || !values.some(one => one.config === config.value)) return spec;
  return {...spec, data: {values: all(values, keep)}};
}

/* The sections that answer the question chosen, and the records that all are made from. */
function answers(section) {
  return !question.value || section.matches(".conditions, .versus")
    || question.value.split(" ").includes(section.className);
}

function select() {
  for (const section of article().querySelectorAll("section")) section.hidden = !answers(section);
  for (const link of article().querySelectorAll("nav a"))
    link.hidden = document.getElementById(link.hash.slice(1)).hidden;
}

/* A box whose table is wider than itself has a hint. */
function hints() {
  for (const box of article().querySelectorAll(".box"))
    box.classList.toggle("wide", box.scrollWidth > box.clientWidth + 1);
}

async function draw() {
  document.documentElement.dataset.drawn = "";
  select();
  for (const figure of article().querySelectorAll("section:not([hidden]) figure")) {
    const spec = structuredClone(chosen(charts[figure.id]));
    if (innerWidth < 600) {
      spec.config.axis.labelLimit = 125;
      spec.config.axis.labelFontSize = 10;
      spec.config.legend.columns = 2;
      spec.config.legend.labelLimit = 105;
      spec.config.legend.labelFontSize = 10;
    }
    await vegaEmbed(figure.querySelector(".chart"), spec, {renderer: "svg", actions: false});
  }
  filterTables();
  hints();
  document.documentElement.dataset.drawn = board.value;
}

function filterTables() {
  for (const table of article().querySelectorAll("section table")) {
    const at = [...table.tHead.rows[0].cells].findIndex(
      cell => cell.textContent === "configuration");
    const rows = [...table.tBodies[0].rows];
    const has = at >= 0 && rows.some(row => row.cells[at].textContent === config.value);
    for (const row of rows)
      row.hidden = has && ![config.value, ...BASE].includes(row.cells[at].textContent);
  }
}

/* A quoted cell is one that a spreadsheet would otherwise split. */
function parse(text) {
  return text.trim().split("\n").map(line => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)]
    .slice(0, -1).map(found => found[1].replace(/^"|"$/g, "").replaceAll('""', '"')));
}

function raw() {
  const box = article().querySelector(".raw"), plan = box.querySelector(".plan").value;
  if (!plan) return null;
  const [head, ...rows] = parse(csv[board.value][plan]);
  const table = box.querySelector("table");
  table.replaceChildren();
  const line = (section, tag, cells) => {
    const row = section.insertRow();
    for (const text of cells)
      row.append(Object.assign(document.createElement(tag), {textContent: text}));
    return row;
  };
  line(table.createTHead(), "th", head);
  const body = table.createTBody();
  for (const cells of rows) {
    const row = line(body, "td", cells);
    row.dataset.key = ["bench", "variant", "config"].map(name => cells[head.indexOf(name)])
      .join("/");
  }
  const file = `${board.value}-${plan}`;
  download(box.querySelector(".csv"), `${file}.csv`, new Blob([csv[board.value][plan]]));
  const packed = records[board.value][plan];
  box.querySelector(".records").hidden = !packed;
  if (packed) download(box.querySelector(".records"), `${file}.jsonl.gz`,
                       new Blob([bytes(packed)]));
  return box;
}

function download(link, name, blob) {
  if (link.href) URL.revokeObjectURL(link.href);
  Object.assign(link, {href: URL.createObjectURL(blob), download: name});
}

async function show(name) {
  board.value = name;
  for (const one of document.querySelectorAll("article")) one.hidden = one.id !== name;
  configurations();
  raw();
  await draw();
}

/* #row/board/plan/bench/variant/configuration: the row of that name, in sight and marked. */
async function follow() {
  const [kind, name, plan, ...key] = location.hash.slice(1).split("/").map(decodeURIComponent);
  const target = document.getElementById(location.hash.slice(1));
  if (target?.hidden && target.matches("section")) {
    question.value = "";
    await draw();
    target.scrollIntoView();
  }
  if (kind !== "row") return;
  if (name !== board.value) await show(name);
  article().querySelector(".plan").value = plan;
  const box = raw();
  box.open = true;
  for (const row of box.querySelectorAll("tbody tr")) {
    row.classList.toggle("marked", row.dataset.key === key.join("/"));
    if (row.classList.contains("marked")) row.scrollIntoView({block: "center"});
  }
}

for (const select of document.querySelectorAll(".plan")) select.addEventListener("change", raw);
addEventListener("beforeprint", () => {
  for (const one of article().querySelectorAll("section details")) one.open = true;
});

unpack().then(() => {
  board.addEventListener("change", () => show(board.value));
  config.addEventListener("change", draw);
  question.addEventListener("change", draw);
  addEventListener("resize", hints);
  document.addEventListener("toggle", hints, true);
  addEventListener("hashchange", follow);
  return show(document.querySelector("article").id);
}).then(follow);
