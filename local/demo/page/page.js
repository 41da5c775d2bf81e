"use strict";

const PARTS = [["cpu", "CPU"], ["ram", "Memory"], ["gpu", "GPU"], ["storage", "Storage"], ["network", "Network"], ["loadBalancer", "Load balancer"]];
const SHOWN_PODS = 50;
const REFRESH_MILLISECONDS = 3000;

const byId = (id) => document.getElementById(id);
let applications = [];
let chosen = null;
let shown = 0;
let timer = null;

/** Make an element; text never becomes markup. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** A number, or the word: what is not known is never shown as zero. */
function known(value, format) {
  return value === null || value === undefined ? element("span", { class: "unknown" }, "unknown") : format(value);
}

function money(value, currency, digits = 2) {
  return new Intl.NumberFormat(undefined, { style: "currency", currency, minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value);
}

const time = (text) => new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" }).format(new Date(text));
const share = (value) => `${Math.round(Math.min(1, value) * 100)} %`;
const hours = (value) => `${Math.round(value * 10) / 10} h`;

function number(title, value, remark, kind = "") {
  return element("div", {}, element("dt", {}, title), element("dd", { class: kind }, value, remark ? element("small", {}, remark) : null));
}

function confidence(figure) {
  const words = { full: "", partial: "partly observed", too_little_data: "too little data for a month" };
  return words[figure.confidence] ?? figure.confidence;
}

function idleOf(figure, currency) {
  const idle = figure.idle;
  if (!idle || idle.total === null || idle.total === undefined) return known(null);
  return (idle.complete ? "" : "at least ") + money(idle.total, currency);
}

function renderFigure(figure, currency) {
  if (!figure) return [element("p", { class: "unknown" }, "No figure yet.")];
  const window = `${time(figure.window.start)} – ${time(figure.window.end)}`;
  const efficiency = figure.efficiency ?? {};
  const numbers = element("dl", { class: "numbers" },
    number("A month at this rate", known(figure.monthly?.total, (value) => money(value, currency)), confidence(figure)),
    number("In the window", known(figure.cost?.total, (value) => money(value, currency)), `${hours(figure.measuredHours)} measured`),
    number("Requested and unused", idleOf(figure, currency), "in the window", "idle"),
    number("CPU used of requested", known(efficiency.cpu, share), ""),
    number("Memory used of requested", known(efficiency.ram, share), ""),
  );
  return [numbers, renderParts(figure, currency), element("p", { class: "quiet" }, `${window} · ${figure.scope} scope · month of ${figure.basisHours} h`)];
}

function renderParts(figure, currency) {
  const amounts = figure.monthly ?? figure.cost;
  const total = amounts?.total;
  const rows = PARTS.map(([key, title]) => element("tr", {},
    element("th", { scope: "row" }, title),
    element("td", {}, total > 0 && amounts[key] > 0 ? element("meter", { min: "0", max: String(total), value: String(amounts[key]), "aria-label": `${title}, share of the total` }) : ""),
    element("td", { class: "amount" }, known(amounts?.[key], (value) => money(value, currency))),
  ));
  const head = element("tr", {}, element("th", { scope: "col" }, "Part"), element("td", {}), element("th", { scope: "col", class: "amount" }, figure.monthly ? "A month" : "In the window"));
  return element("div", { class: "scroll" }, element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows)));
}

function renderRecord(record, currency) {
  if (!record) return [element("p", { class: "unknown" }, "No sync has been recorded.")];
  const sync = record.sync;
  const settled = record.settled
    ? known(record.settled.monthly?.total, (value) => money(value, currency))
    : element("span", { class: "unknown" }, record.settlesAt ? `settles ${time(record.settlesAt)}` : "not settled yet");
  const numbers = element("dl", { class: "numbers" },
    number("Before the sync, a month", known(record.early?.monthly?.total, (value) => money(value, currency)), record.early ? `${hours(record.early.measuredHours)} measured` : "no early figure"),
    number("After the sync, a month", settled, record.settled ? `${hours(record.settled.measuredHours)} measured` : ""),
  );
  const facts = [sync?.finishedAt ? `finished ${time(sync.finishedAt)}` : null, sync?.revision ? `revision ${sync.revision.slice(0, 12)}` : null, `found by ${record.foundBy}`];
  return [numbers, element("p", { class: "quiet" }, facts.filter(Boolean).join(" · "))];
}

function renderPods(figure, currency) {
  if (!figure) return [element("p", { class: "unknown" }, "No figure yet.")];
  const pods = figure.pods ?? [];
  if (!pods.length) {
    const total = figure.podsTotal;
    return [element("p", { class: "quiet" }, total ? `${total.count} pods in the namespace, not listed one by one in namespace scope.` : "No pods.")];
  }
  const head = element("tr", {}, ...["Pod", "Controller"].map((title) => element("th", { scope: "col" }, title)),
    ...["Cost", "Unused"].map((title) => element("th", { scope: "col", class: "amount" }, title)));
  const rows = [...pods].sort((a, b) => (b.cost?.total ?? 0) - (a.cost?.total ?? 0)).slice(0, SHOWN_PODS).map((pod) => element("tr", {},
    element("td", {}, pod.pod),
    element("td", {}, pod.controller ? `${pod.controllerKind} ${pod.controller}` : "none"),
    element("td", { class: "amount" }, known(pod.cost?.total, (value) => money(value, currency, 4))),
    element("td", { class: "amount" }, known(pod.idle?.total, (value) => money(value, currency, 4))),
  ));
  const more = pods.length > SHOWN_PODS ? element("p", { class: "quiet" }, `and ${pods.length - SHOWN_PODS} more`) : null;
  return [element("div", { class: "scroll" }, element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows))), ...(more ? [more] : [])];
}

function stateText(answer) {
  if (answer.state === "received") {
    return answer.measuredAt ? `A sync was received; it is measured ${time(answer.measuredAt)}.` : "A sync was received and will be measured.";
  }
  return answer.stale ? "These figures are over three hours old." : "";
}

function showProblem(text) {
  byId("problem").textContent = text ?? "";
  byId("problem").hidden = !text;
}

/** Ask for the chosen application's costs through the extension proxy, as the extension in Argo CD does. */
async function refresh() {
  clearTimeout(timer);
  const application = chosen;
  const turn = ++shown;
  if (!application) return;
  let response, answer;
  try {
    response = await fetch(`/extensions/cost-intel/api/cost-analysis/${encodeURIComponent(application.name)}/actual`, {
      headers: { "Argocd-Application-Name": `${application.namespace}:${application.name}`, "Argocd-Project-Name": application.project },
    });
    answer = await response.json();
  } catch {
    answer = null;
  }
  if (turn !== shown) return;
  render(response, answer);
  const waiting = answer?.state === "received" || !response?.ok;
  if (waiting) timer = setTimeout(refresh, REFRESH_MILLISECONDS);
}

function render(response, answer) {
  const ok = response?.ok && answer;
  const unmeasured = answer?.code === "not_measured";
  showProblem(ok || unmeasured ? null : `The costs could not be read${response ? ` (${response.status})` : ""}; trying again.`);
  const currency = answer?.currency ?? "USD";
  byId("state").textContent = ok ? stateText(answer) : unmeasured ? "This application has not been measured. Push a sync to measure it." : "";
  if (!ok && !unmeasured) {
    for (const id of ["current", "record", "pods"]) byId(id).replaceChildren(element("p", { class: "unknown" }, "unknown"));
    return;
  }
  byId("current").replaceChildren(...renderFigure(ok ? answer.current : null, currency));
  byId("record").replaceChildren(...renderRecord(ok ? answer.record : null, currency));
  byId("pods").replaceChildren(...renderPods(ok ? answer.current ?? answer.record?.early : null, currency));
}

async function push() {
  const application = chosen;
  byId("push").disabled = true;
  try {
    const response = await fetch("/demo/sync", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ namespace: application.namespace, name: application.name }),
    });
    const result = await response.json();
    const words = { 200: `skipped: ${result.answer?.reason ?? "no reason given"}`, 202: "accepted" };
    byId("pushed").textContent = `The webhook answered ${result.status ?? response.status}: ${words[result.status] ?? result.answer?.detail ?? "not accepted"}.`;
  } catch {
    byId("pushed").textContent = "The webhook could not be reached.";
  }
  byId("pushed").hidden = false;
  byId("push").disabled = false;
  if (chosen === application) setTimeout(refresh, 1000);
}

function choose(application) {
  chosen = application;
  byId("hint").hidden = true;
  byId("application").hidden = false;
  byId("pushed").hidden = true;
  byId("name").textContent = `${application.namespace}/${application.name}`;
  byId("about").textContent = application.description;
  for (const id of ["state", "current", "record", "pods"]) byId(id).replaceChildren();
  showProblem(null);
  list();
  refresh();
}

function list() {
  const wanted = byId("search").value.trim().toLowerCase();
  const matching = applications.filter((one) => `${one.namespace}/${one.name} ${one.destination_namespace}`.toLowerCase().includes(wanted));
  byId("applications").replaceChildren(...matching.map((one) => {
    const button = element("button", { type: "button", "aria-current": String(one === chosen) }, one.name,
      element("small", {}, `${one.namespace} → ${one.destination_namespace || "no namespace"}`));
    button.addEventListener("click", () => choose(one));
    return element("li", {}, button);
  }));
  byId("no-applications").hidden = matching.length > 0;
}

async function load() {
  try {
    const response = await fetch("/demo/applications");
    if (!response.ok) throw new Error(response.status);
    applications = await response.json();
    list();
  } catch {
    showProblem("The list of applications could not be read. Reload the page to try again.");
  }
}

byId("search").addEventListener("input", list);
byId("push").addEventListener("click", push);
load();
