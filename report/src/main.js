// SPDX-License-Identifier: MIT
// Draws the charts of the page and ties them together.
import { traces } from "./data.js";
import { tellSelection } from "./figures.js";
import { Frame } from "./frame.js";
import { addTables } from "./tables.js";
import * as time from "./time_view.js";
import { hideTip } from "./tip.js";
import { benchDepth, benchHeat, benchPoints, benchRounds, benchSaturation } from "./charts/bench.js";
import { addresses } from "./charts/addresses.js";
import { fates } from "./charts/fates.js";
import { flow } from "./charts/flow.js";
import { latency } from "./charts/latency.js";
import { load } from "./charts/load.js";
import { loads } from "./charts/loads.js";
import { misses } from "./charts/misses.js";
import { pageCache } from "./charts/page_cache.js";
import { curves, percentiles } from "./charts/percentiles.js";
import { processes } from "./charts/processes.js";
import { queue } from "./charts/queue.js";
import { ratios } from "./charts/ratios.js";
import { sizes, sizeShares } from "./charts/sizes.js";
import { waits } from "./charts/waits.js";
import { where } from "./charts/where.js";
import { workload } from "./charts/workload.js";

const systemTheme = matchMedia("(prefers-color-scheme: dark)");

function followSystemTheme() {
	document.documentElement.dataset.theme = systemTheme.matches ? "dark" : "light";
}

followSystemTheme();

const OVER_TIME = { load, latency, "page-cache": pageCache, queue, addresses, processes, loads };
const OTHERS = {
	percentiles, where, sizes, flow, fates, misses, waits, workload,
	"ratios-read": ratios("read"), "ratios-write": ratios("write"),
	"curves-read": curves("read"), "curves-write": curves("write"), "size-shares": sizeShares,
	"bench-depth": benchDepth, "bench-heat": benchHeat, "bench-points": benchPoints, "bench-rounds": benchRounds,
	"bench-saturation": benchSaturation,
};

let errors = 0;
addEventListener("error", () => (document.body.dataset.errors = ++errors));
document.body.dataset.errors = 0;

const frames = [...document.querySelectorAll("[data-chart]")]
	.filter((section) => !section.querySelector(".plot .empty"))
	.map((section) => {
		const name = section.dataset.chart;
		return new Frame(section, OVER_TIME[name] ?? OTHERS[name], traces[section.dataset.trace ?? 0], { overTime: name in OVER_TIME });
	});

// Maps of latency are compared: a choice is that of all.
const maps = frames.filter((frame) => frame.section.dataset.chart === "latency");
for (const map of maps) Object.assign(map, { state: maps[0].state, alike: maps });

// One chart that fails leaves the others alone.
function draw(some) {
	hideTip();
	for (const frame of some) {
		try {
			frame.draw();
		} catch (error) {
			reportError(error);
			frame.plot.textContent = "This chart could not be drawn.";
		}
	}
}

// For the width of the window, which the page remembers.
function drawAll() {
	draw(frames);
	document.body.dataset.drawnAt = innerWidth;
}

function element(name, properties) {
	return Object.assign(document.createElement(name), properties);
}

const range = element("span", { className: "range-text" });
const whole = element("button", { type: "button", className: "whole", textContent: "Whole trace" });
const theme = element("button", { type: "button", className: "theme", textContent: "◐", title: "light or dark" });
theme.setAttribute("aria-label", "light or dark");
whole.addEventListener("click", () => time.showWhole());
theme.addEventListener("click", () => {
	const root = document.documentElement;
	root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
	draw(frames);
});
document.querySelector(".state").append(range, whole, theme);

function tellRange() {
	const zoomed = !time.isWhole();
	range.textContent = zoomed ? time.rangeText() : "";
	whole.hidden = !zoomed;
	for (const options of document.querySelectorAll(".range")) options.textContent = zoomed ? `--from ${time.view.from / 1e9}s --to ${time.view.to / 1e9}s ` : "";
	tellSelection();
}

time.onChange(() => {
	const focused = document.activeElement?.closest?.("section[data-chart]");
	draw(frames.filter((frame) => frame.overTime));
	if (focused) focused.querySelector("svg")?.focus({ preventScroll: true });
	tellRange();
});

for (const hint of document.querySelectorAll(".hint")) hint.textContent = "drag to zoom all charts, double-click for the whole";

let width = innerWidth, waiting;
addEventListener("resize", () => {
	if (innerWidth === width) return;
	width = innerWidth;
	clearTimeout(waiting);
	waiting = setTimeout(() => drawAll(), 100);
});
systemTheme.addEventListener("change", () => {
	followSystemTheme();
	draw(frames);
});
addEventListener("hashchange", () => time.readAddress());

let before;
addEventListener("beforeprint", () => {
	before = {
		theme: document.documentElement.dataset.theme,
		open: [...document.querySelectorAll("details:not([open])")],
		hidden: [...document.querySelectorAll(".list tbody tr[hidden]")],
	};
	document.documentElement.dataset.theme = "light";
	for (const details of before.open) details.open = true;
	for (const row of before.hidden) row.hidden = false;
	draw(frames);
});
addEventListener("afterprint", () => {
	document.documentElement.dataset.theme = before.theme;
	for (const details of before.open) details.open = false;
	for (const row of before.hidden) row.hidden = true;
	draw(frames);
});

addTables();
time.readAddress();
drawAll();
tellRange();
document.body.dataset.ready = frames.length;
