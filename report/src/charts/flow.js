// SPDX-License-Identifier: MIT
// Of the bytes that applications read, which did the device have to bring?
import { sankey, sankeyLinkHorizontal } from "d3-sankey";
import { bytes } from "../format.js";

const PAGE = 4096;
const SHORT = { "Applications read": "Applications", "By readahead, used": "By readahead", "Readahead, unused": "Unused", "Direct, metadata, other": "Direct, other" }; // on a narrow page
const COLUMNS = { "Applications read": 0, "Device read": 2 }; // all else is in the middle
const NODE = 9; // pixels of width

export function flow(frame) {
	const { explain } = frame.trace, { cache, flow: read } = explain, nodes = [], links = [];
	const origins = Object.entries(read.device_read), device = origins.reduce((sum, [, o]) => sum + o.bytes, 0);
	const used = Math.min(cache.readahead.used_pages * PAGE, read.hit_bytes);
	const add = (name, value, color) => value > 0 && nodes.push({ name, value, color });
	const link = (source, target, value, color) => {
		const find = (name) => nodes.findIndex((n) => n.name === name);
		if (value > 0 && find(source) >= 0 && find(target) >= 0) links.push({ source: find(source), target: find(target), value, color });
	};
	add("Applications read", read.application_bytes, "var(--ink)");
	add("Already there", read.hit_bytes - used, "var(--hit)");
	add("By readahead, used", used, "var(--readahead)");
	add("Waited for", read.demand_bytes, "var(--waited)");
	const unused = Math.max(0, read.readahead_bytes - used);
	add("Readahead, unused", unused, "var(--others)");
	const own = device - read.demand_bytes - read.readahead_bytes;
	add("Direct, metadata, other", own, "var(--others)");
	nodes.push({ name: "Device read", value: device, color: "var(--read)" }); // also if it read nothing
	link("Applications read", "Already there", read.hit_bytes - used, "var(--hit)");
	link("Applications read", "By readahead, used", used, "var(--readahead)");
	link("Applications read", "Waited for", read.demand_bytes, "var(--waited)");
	link("By readahead, used", "Device read", used, "var(--readahead)");
	link("Waited for", "Device read", read.demand_bytes, "var(--waited)");
	link("Readahead, unused", "Device read", unused, "var(--others)");
	link("Direct, metadata, other", "Device read", own, "var(--others)");
	draw(frame, nodes, links);
	account(frame, explain);
}

function columnOf(node) {
	return COLUMNS[node.name] ?? 1;
}

function draw(frame, nodes, links) {
	const group = frame.area(230, { left: 4, right: 4, top: 20, bottom: 22 });
	const graph = sankey().nodeWidth(NODE).nodePadding(24).nodeSort(null).nodeAlign(columnOf).extent([[0, 0], [frame.inner, frame.height]])({
		nodes: nodes.map((n) => ({ name: n.name, told: n.value, color: n.color })),
		links: links.map((l) => ({ ...l })),
	});
	// Without a way from end to end the layout has two columns.
	for (const node of graph.nodes) {
		node.x0 = (columnOf(node) * (frame.inner - NODE)) / 2;
		node.x1 = node.x0 + NODE;
	}
	group.selectAll("path").data(graph.links).join("path").attr("d", sankeyLinkHorizontal()).attr("stroke", (l) => l.color).attr("class", "stream").attr("stroke-width", (l) => Math.max(1, l.width));
	for (const node of graph.nodes) {
		const right = columnOf(node) === 2;
		group.append("rect").attr("x", node.x0).attr("y", node.y0).attr("width", node.x1 - node.x0).attr("height", Math.max(2, node.y1 - node.y0)).attr("fill", node.color);
		const text = group.append("text").attr("class", "node halo-text").attr("x", right ? node.x1 : node.x0).attr("y", right ? node.y1 + 15 : node.y0 - 5).attr("text-anchor", right ? "end" : "start");
		text.append("tspan").attr("class", "strong").text((frame.width < 480 && SHORT[node.name]) || node.name);
		text.append("tspan").attr("dx", 5).text(bytes(node.told));
	}
	frame.tip((x, y) => {
		const node = graph.nodes.find((n) => y >= n.y0 - 16 && y <= n.y1 && Math.abs(x - (n.x0 + n.x1) / 2) < 70);
		return node && { title: node.name, rows: [["bytes", bytes(node.told)]] };
	}, graph.nodes.map((n) => [(n.x0 + n.x1) / 2, (n.y0 + n.y1) / 2]));
}

// The account of both sides, in words.
function account(frame, explain) {
	const { flow: f } = explain, note = document.createElement("p");
	if (f.unaccounted_pages === null) return;
	const fetched = f.fetched_file_pages.toLocaleString("en"), read = f.device_file_pages.toLocaleString("en");
	const rest = f.unaccounted_pages ? `${Math.abs(f.unaccounted_pages).toLocaleString("en")} ${f.unaccounted_pages > 0 ? "more" : "fewer"} than fetched` : "none unaccounted";
	note.className = "note";
	note.textContent = `Two accounts of the same pages of files: the cache fetched ${fetched}, the devices read ${read}: ${rest}.`;
	frame.plot.append(note);
}
