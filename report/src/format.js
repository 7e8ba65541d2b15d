// SPDX-License-Identifier: MIT
// Times, sizes and counts as people read them, as blkreel prints them elsewhere.
import { format } from "d3-format";

const whole = format(",.0f");

export function time(ns) {
	if (!Number.isFinite(ns)) return "-";
	if (ns < 999.5) return `${ns < 10 && ns % 1 ? ns.toFixed(1) : ns.toFixed(0)} ns`;
	if (ns < 999.5e3) return `${+(ns / 1e3).toPrecision(3)} us`;
	if (ns < 999.5e6) return `${+(ns / 1e6).toPrecision(3)} ms`;
	return `${(ns / 1e9).toFixed(2)} s`;
}

// Without needless zeros, for axes.
export function shortTime(ns) {
	return time(ns).replace(/\.0+ /, " ").replace(/(\.\d*?)0+ /, "$1 ");
}

// Of a second, to tell steps of `step` ns apart.
function digitsFor(step) {
	return Math.max(0, Math.min(9, Math.ceil(-Math.log10(step / 1e9))));
}

// The time of day, as the head of the page has it, with the date if it is a later one; "" if it is not known.
export function clock(startWallNs, ns, step) {
	if (!startWallNs) return "";
	const at = BigInt(startWallNs) + BigInt(Math.round(ns)), digits = Math.min(6, digitsFor(step));
	const [day, time] = new Date(Number(at / 1000000n)).toISOString().split("T");
	const date = day === new Date(startWallNs / 1e6).toISOString().split("T")[0] ? "" : `${day} `;
	const fraction = digits ? `.${String(at % 1000000000n).padStart(9, "0").slice(0, digits)}` : "";
	return `${date}${time.slice(0, 8)}${fraction} UTC`;
}

// A moment of the recording, exact enough for steps of `step` ns.
export function moment(ns, step) {
	const digits = digitsFor(step);
	if (ns >= 120e9 && digits === 0) {
		const s = Math.round(ns / 1e9), h = Math.floor(s / 3600), m = Math.floor((s % 3600) / 60);
		const text = `${String(m).padStart(h ? 2 : 1, "0")}:${String(s % 60).padStart(2, "0")}`;
		return h ? `${h}:${text} h` : `${text} min`;
	}
	return `${(ns / 1e9).toFixed(digits)} s`;
}

export function bytes(value) {
	const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
	let i = 0;
	for (; value >= 1023.5 && i < units.length - 1; i++) value /= 1024;
	return `${i && value % 1 ? value.toFixed(value < 100 ? 1 : 0) : whole(value)} ${units[i]}`;
}

// Exact enough for steps of `step` bytes: "2 TiB 24 MiB".
export function exactBytes(value, step) {
	const parts = [];
	for (let unit = 1024 ** 5; unit >= 1; unit /= 1024) {
		const part = Math.floor(value / unit) % 1024;
		if (part && unit * 1024 > step) parts.push(bytes(part * unit));
	}
	return parts.join(" ") || bytes(value);
}

export function count(value) {
	return value < 10 && value % 1 ? value.toFixed(1) : whole(value);
}

// 12,345 as "12 k", for axes.
export function short(value) {
	if (value >= 1e9) return `${+(value / 1e9).toPrecision(3)} G`;
	if (value >= 1e6) return `${+(value / 1e6).toPrecision(3)} M`;
	if (value >= 1e4) return `${+(value / 1e3).toPrecision(3)} k`;
	return `${+value.toPrecision(3)}`;
}

export function percent(part) {
	const value = 100 * part;
	if (value > 0 && value < 0.1) return "< 0.1 %";
	return `${value.toFixed(value < 10 && value % 1 ? 1 : 0)} %`;
}

export function ratio(value) {
	return Number.isFinite(value) ? `x${+value.toPrecision(3)}` : "-";
}
