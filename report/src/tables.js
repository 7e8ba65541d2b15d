// SPDX-License-Identifier: MIT
// The tables of the page: sorted by any column, filtered, cut to the first rows.
import { traces } from "./data.js";
import { clock } from "./format.js";
import * as time from "./time_view.js";

const SHORT = 10;

export function addTables() {
	for (const list of document.querySelectorAll(".list")) addTable(list);
}

function addTable(list) {
	const table = list.querySelector("table"), body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
	const state = { all: false, text: "" };
	const update = () => {
		let shown = 0, matching = 0;
		for (const row of body.rows) {
			const matches = row.cells[0].textContent.toLowerCase().includes(state.text) || row.cells[0].firstElementChild?.title?.toLowerCase().includes(state.text);
			matching += Boolean(matches);
			row.hidden = !matches || (!state.all && shown >= SHORT);
			shown += !row.hidden;
		}
		more.hidden = matching <= SHORT;
		more.textContent = state.all ? `Show ${SHORT}` : `Show all ${matching}`;
	};
	const more = button("more", () => {
		state.all = !state.all;
		update();
	});
	list.append(more);
	if (body.rows.length > SHORT) addFilter(list, state, update);
	heads.forEach((head, column) => addSort(head, column, heads, body, update));
	for (const cell of body.querySelectorAll("[data-at]")) addJump(cell);
	update();
}

function button(className, clicked) {
	const made = document.createElement("button");
	made.type = "button";
	made.className = className;
	made.addEventListener("click", clicked);
	return made;
}

function addFilter(list, state, update) {
	const input = document.createElement("input");
	input.type = "search";
	input.placeholder = "filter";
	input.setAttribute("aria-label", `filter ${list.querySelector("h3").textContent}`);
	input.addEventListener("input", () => {
		state.text = input.value.toLowerCase();
		update();
	});
	list.querySelector(".tools").append(input);
}

function addSort(head, column, heads, body, update) {
	const made = button("sort", () => {
		const falling = head.getAttribute("aria-sort") !== "descending";
		for (const other of heads) other.removeAttribute("aria-sort");
		head.setAttribute("aria-sort", falling ? "descending" : "ascending");
		const rows = [...body.rows].sort((a, b) => order(a.cells[column], b.cells[column]) * (falling ? -1 : 1));
		body.append(...rows);
		update();
	});
	made.textContent = head.textContent;
	head.replaceChildren(made);
}

function order(a, b) {
	if (a.dataset.v !== undefined) return Number(a.dataset.v) - Number(b.dataset.v);
	return b.textContent.localeCompare(a.textContent);
}

// A moment of a slow IO: a click shows a second around it.
function addJump(cell) {
	const at = Number(cell.dataset.at), made = button("jump", () => {
		const half = Math.max(0.5e9, 2 * time.BIN);
		time.show(at - half, at + half);
		document.getElementById("time").scrollIntoView({ behavior: "smooth" });
	});
	made.textContent = cell.textContent;
	made.title = [clock(traces[0].start_wall_ns, at, 1000), "show the second around it"].filter(Boolean).join(": ");
	cell.replaceChildren(made);
}
