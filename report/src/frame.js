// SPDX-License-Identifier: MIT
// What all charts have: an SVG, axes, legend, switches, a tip and a way to save them.
import { select } from "d3-selection";
import { axisBottom, axisLeft } from "d3-axis";
import { scaleLinear } from "d3-scale";
import { shortTime } from "./format.js";
import * as time from "./time_view.js";
import { addTip } from "./tip.js";

export const MARGIN = { top: 8, right: 26, bottom: 24, left: 62 };

// A chart of the page: its section, and the choices of its reader.
export class Frame {
	constructor(section, draw, trace, options = {}) {
		this.section = section;
		this.trace = trace;
		this.state = {};
		this.alike = [this]; // the charts that show the same choice
		this.plot = section.querySelector(".plot");
		this.tools = section.querySelector(".tools");
		this.title = section.querySelector("h3").textContent;
		this.drawing = draw;
		this.overTime = Boolean(options.overTime);
	}

	draw() {
		this.stopPointing?.();
		this.plot.replaceChildren();
		this.tools.replaceChildren();
		this.width = Math.max(240, Math.floor(this.plot.clientWidth || this.plot.parentNode.clientWidth));
		this.drawing(this);
		if (this.svg) addSave(this);
	}

	// The drawing area: a group whose origin is inside the margins.
	area(height, margin = {}) {
		this.margin = { ...MARGIN, ...margin };
		this.inner = this.width - this.margin.left - this.margin.right;
		this.height = height;
		this.svg = select(this.plot)
			.append("svg")
			.attr("data-chart", this.section.dataset.chart)
			.attr("width", this.width)
			.attr("height", height + this.margin.top + this.margin.bottom)
			.attr("viewBox", `0 0 ${this.width} ${height + this.margin.top + this.margin.bottom}`)
			.attr("role", "img")
			.attr("aria-label", this.title);
		this.group = this.svg.append("g").attr("transform", `translate(${this.margin.left},${this.margin.top})`);
		return this.group;
	}

	// Pixels that the longest of these texts takes in a chart.
	widest(texts) {
		const probe = select(this.plot).append("svg").attr("width", 0).attr("height", 0), text = probe.append("text").attr("class", "value");
		const widths = texts.map((t) => text.text(t).node().getComputedTextLength());
		probe.remove();
		return Math.ceil(Math.max(0, ...widths));
	}

	axisY(scale, format, ticks) {
		const axis = axisLeft(scale).tickSize(-this.inner).tickPadding(6).tickFormat(format);
		if (Array.isArray(ticks)) axis.tickValues(ticks);
		else axis.ticks(ticks ?? Math.max(2, Math.floor(this.height / 40)));
		this.group.append("g").attr("class", "axis y").call(axis).select(".domain").remove();
	}

	axisX(scale, format, ticks) {
		const axis = axisBottom(scale).tickSize(-this.height).tickPadding(8).tickFormat(format);
		if (Array.isArray(ticks)) axis.tickValues(ticks);
		else axis.ticks(ticks ?? Math.max(2, Math.floor(this.inner / 110)));
		this.group.append("g").attr("class", "axis x").attr("transform", `translate(0,${this.height})`).call(axis).select(".domain").remove();
	}

	// The common axis of time; returns its scale from ns to pixels.
	axisTime() {
		const { from, to } = time.view, scale = scaleLinear([from, to], [0, this.inner]);
		const label = to - from > 10e9 ? 58 : 75; // pixels: "30 s", "11.25 s"
		const ticks = timeTicks(from, to, Math.max(2, Math.floor(this.inner / label)));
		const unit = to >= 7200e9 ? 3600e9 : to >= 300e9 ? 60e9 : 1e9;
		const name = { 3600e9: "h", 60e9: "min", 1e9: "s" }[unit];
		const format = (ns) => (unit === 1e9 && to < 1e9 ? shortTime(ns) : `${+(ns / unit).toFixed(6)} ${name}`);
		this.axisX(scale, format, ticks);
		return scale;
	}

	// Entries: {name, color, kind: "line" | "dashed" | undefined}.
	legend(entries) {
		const list = select(this.tools).append("span").attr("class", "legend");
		for (const entry of entries) {
			const item = list.append("span");
			item.append("i").attr("class", entry.kind ?? "box").style("--own", entry.color);
			item.append("span").text(entry.name);
		}
	}

	// The scale of a heat map.
	ramp(color, most) {
		const item = select(this.tools).append("span").attr("class", "legend ramp-legend");
		const stops = [0, 0.25, 0.5, 0.75, 1].map((part) => `rgb(${color(part).join(" ")})`);
		item.append("span").text("1");
		item.append("i").attr("class", "ramp").style("background", `linear-gradient(90deg, ${stops.join(", ")})`);
		item.append("span").text(`${most.toLocaleString("en")} IOs in a cell (log)`);
	}

	// Buttons of which one is chosen; returns the choice. choices: {key: text}.
	choose(key, choices, fallback) {
		const names = Object.keys(choices);
		if (!names.includes(this.state[key])) this.state[key] = names.includes(fallback) ? fallback : names[0];
		if (names.length > 1) {
			const group = select(this.tools).append("span").attr("class", "switch").attr("role", "group").attr("aria-label", `${this.title}: what is shown`);
			for (const name of names)
				group
					.append("button")
					.attr("type", "button")
					.attr("aria-pressed", name === this.state[key])
					.text(choices[name])
					.on("click", () => {
						this.state[key] = name;
						for (const frame of this.alike) frame.draw();
						[...this.tools.querySelectorAll(".switch button")].find((b) => b.textContent === choices[name])?.focus();
					});
		}
		return this.state[key];
	}

	tip(content, stops) {
		addTip(this, content, stops);
	}
}

// Steps of 1, 2, 5 below a second and of what clocks have above it.
function timeTicks(from, to, most) {
	const width = (to - from) / most, steps = [];
	for (let scale = 1; scale < 1e9; scale *= 10) steps.push(scale, 2 * scale, 5 * scale);
	steps.push(1e9, 2e9, 5e9, 10e9, 15e9, 30e9);
	for (const minutes of [1, 2, 5, 10, 15, 30, 60, 120, 240, 360, 720, 1440]) steps.push(minutes * 60e9);
	const step = steps.find((s) => s >= width) ?? Math.ceil(width / 86400e9) * 86400e9;
	const ticks = [];
	for (let at = Math.ceil(from / step) * step; at <= to; at += step) ticks.push(at);
	return ticks;
}

const SAVED = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "fill-opacity", "opacity",
	"font-size", "font-family", "font-weight", "text-anchor", "dominant-baseline", "image-rendering"];

// The SVG as a document of its own: what the style sheet says stands in its elements.
export function standalone(svg) {
	const copy = svg.cloneNode(true), from = svg.querySelectorAll("*"), to = copy.querySelectorAll("*");
	from.forEach((element, i) => {
		const style = getComputedStyle(element);
		for (const name of SAVED) {
			const value = style.getPropertyValue(name);
			if (value) to[i].setAttribute(name, value);
		}
		to[i].removeAttribute("style");
	});
	copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
	copy.setAttribute("style", `background:${getComputedStyle(document.documentElement).getPropertyValue("--card")}`);
	return new XMLSerializer().serializeToString(copy);
}

function addSave(frame) {
	const button = select(frame.tools).append("button").attr("type", "button").attr("class", "save").text("SVG");
	button.attr("aria-label", `save ${frame.title} as SVG`).attr("title", "save this chart as SVG");
	button.on("click", () => {
		const link = document.createElement("a");
		link.href = URL.createObjectURL(new Blob([standalone(frame.svg.node())], { type: "image/svg+xml" }));
		link.download = `${frame.section.id}.svg`;
		link.click();
		setTimeout(() => URL.revokeObjectURL(link.href), 1000);
	});
}
