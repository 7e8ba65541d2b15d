// SPDX-License-Identifier: MIT
// Opens a page of 'blkreel report' in Chromium and checks one thing of it:
//     node page_check.mjs MODULES BROWSER CHECK PAGE [ARGUMENT...]
// MODULES is a folder with node_modules. Prints what is wrong and exits with 1. BROWSER is the address of one that
//     node page_check.mjs MODULES CHROMIUM serve FILE
// keeps for all checks: it writes the address into FILE, and ends by a signal or with its parent.
import assert from "node:assert/strict";
import fs from "node:fs";
import { createRequire } from "node:module";

const [modules, place, check, file, ...rest] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const { chromium } = require("playwright-core");

if (check === "serve") {
	const server = await chromium.launchServer({ executablePath: place, args: ["--no-sandbox"], handleSIGTERM: false });
	const parent = process.ppid;
	let wanted = true;
	process.on("SIGTERM", () => (wanted = false));
	fs.writeFileSync(`${file}.new`, server.wsEndpoint());
	fs.renameSync(`${file}.new`, file);
	while (wanted && process.ppid === parent) await new Promise((done) => setTimeout(done, 100));
	await server.close();
	process.exit(0);
}
const browser = await chromium.connect(place);
const seen = [], failed = [];

// A page that is drawn. What it says on its console, throws or asks for is noted.
async function open(options = {}, address = "") {
	const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, acceptDownloads: true, ...options });
	const page = await context.newPage();
	page.on("console", (message) => seen.push(`console: ${message.text()}`));
	page.on("pageerror", (error) => seen.push(`error: ${error.stack}`));
	page.on("dialog", (dialog) => {
		seen.push(`dialog: ${dialog.message()}`);
		dialog.dismiss();
	});
	page.on("request", (request) => {
		if (!request.url().startsWith("data:") && request.url().split("#")[0] !== encodeURI(`file://${file}`)) seen.push(`request: ${request.url()}`);
	});
	page.on("requestfailed", (request) => failed.push(`request: ${request.url()}`));
	await page.goto(`file://${file}${address}`);
	await page.waitForSelector("body[data-ready]", { timeout: 60000 });
	assert.equal(await page.getAttribute("body", "data-errors"), "0");
	return page;
}

const svg = (page, chart) => page.locator(`[data-chart="${chart}"] svg`).first();
const hash = (page) => page.evaluate(() => location.hash);

// Drags over a part of a chart, from and to as parts of its width.
async function drag(page, chart, from, to) {
	const target = svg(page, chart);
	await target.scrollIntoViewIfNeeded();
	const box = await target.boundingBox();
	const x = (part) => box.x + 62 + part * (box.width - 88), y = box.y + 40;
	await page.mouse.move(x(from), y);
	await page.mouse.down();
	await page.mouse.move(x((from + to) / 2), y, { steps: 3 });
	await page.mouse.move(x(to), y, { steps: 3 });
	await page.mouse.up();
}

async function textOf(download) {
	const chunks = [];
	for await (const chunk of await download.createReadStream()) chunks.push(chunk);
	return Buffer.concat(chunks).toString();
}

// In the page: the texts of charts that are cut by the edge of their chart, or that lie over another one.
function badTexts() {
	const bad = [];
	for (const drawing of document.querySelectorAll("[data-chart] svg")) {
		const edge = drawing.getBoundingClientRect(), name = drawing.dataset.chart;
		const texts = [...drawing.querySelectorAll("text")].filter((t) => t.textContent).map((t) => ({ text: t.textContent, at: t.getBoundingClientRect() }));
		for (const { text, at } of texts)
			if (at.right > edge.right + 1 || at.left < edge.left - 1 || at.top < edge.top - 1 || at.bottom > edge.bottom + 1) bad.push(`${name}: '${text}' is cut`);
		texts.forEach((a, i) => {
			for (const b of texts.slice(i + 1)) {
				const width = Math.min(a.at.right, b.at.right) - Math.max(a.at.left, b.at.left);
				const height = Math.min(a.at.bottom, b.at.bottom) - Math.max(a.at.top, b.at.top);
				if (width > 1 && height > 4) bad.push(`${name}: '${a.text}' and '${b.text}' overlap`);
			}
		});
	}
	return bad;
}

const checks = {
	// Every chart has a drawing or a reason; heat maps have cells.
	async draws() {
		const page = await open();
		const charts = await page.$$eval("[data-chart].chart", (sections) =>
			sections.map((s) => ({ id: s.id, drawn: s.querySelectorAll(".plot svg").length, empty: s.querySelector(".plot .empty")?.textContent ?? "" })));
		assert(charts.length >= 9, `${charts.length} charts`);
		for (const chart of charts) assert.equal(chart.drawn, chart.empty ? 0 : 1, `${chart.id}: ${chart.drawn} drawings, '${chart.empty}'`);
		for (const expected of rest) assert(charts.some((c) => c.id === expected && c.drawn), `${expected} is not drawn`);
		const filled = await page.$$eval("image.cells", async (images) => {
			const counts = [];
			for (const image of images) {
				const copy = new Image();
				copy.src = image.getAttribute("href");
				await copy.decode();
				const canvas = Object.assign(document.createElement("canvas"), { width: copy.width, height: copy.height });
				const context = canvas.getContext("2d");
				context.drawImage(copy, 0, 0);
				counts.push(context.getImageData(0, 0, copy.width, copy.height).data.filter((v, i) => i % 4 === 3 && v).length);
			}
			return counts;
		});
		for (const count of filled) assert(count > 0, "an empty heat map");
	},

	// What the charts say equals the document: the tips add up to the IOs of the trace.
	async tips() {
		const page = await open();
		const told = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent).traces[0]);
		const reads = told.explain.devices.reduce((sum, d) => sum + d.read.ios, 0);
		const target = svg(page, "latency");
		await target.scrollIntoViewIfNeeded();
		const box = await target.boundingBox();
		await page.mouse.move(box.x + box.width / 2, box.y + 60);
		assert(await page.isVisible(".tip"), "the pointer shows no tip");
		// The same for each pixel, without a way to the browser and back.
		const sum = await target.evaluate((drawing) => {
			const { left, top, width } = drawing.getBoundingClientRect();
			let columns = 0, last = "";
			for (let x = left + 62; x < left + width - 26; x++) {
				drawing.dispatchEvent(new PointerEvent("pointermove", { clientX: x, clientY: top + 60, bubbles: true }));
				const tip = document.querySelector(".tip"), title = tip.querySelector("b").textContent;
				if (tip.style.display !== "block" || title === last) continue;
				last = title;
				columns += Number(tip.querySelectorAll("dd")[1].textContent.replaceAll(",", ""));
			}
			return columns;
		});
		assert.equal(sum, reads, "reads in all columns of the heat map");
	},

	// Maps of latency show one operation, at first the one with most IOs (given), with one scale.
	async maps() {
		const page = await open();
		const told = (what) => page.$$eval(`[data-chart="latency"].chart ${what}`, (found) => found.map((e) => e.textContent));
		const count = await page.locator('[data-chart="latency"].chart').count();
		const check = async (op) => {
			assert.deepEqual(await told('[aria-pressed="true"]'), Array(count).fill(op));
			assert.equal(new Set(await told(".ramp-legend span")).size, 2, "one scale");
		};
		await check(rest[0]);
		const choices = await told(".switch button");
		assert.deepEqual(choices, Array(count).fill(choices.slice(0, choices.length / count)).flat());
		await page.locator('[data-chart="latency"].chart .switch button', { hasText: rest[1] }).last().click();
		await check(rest[1]);
		assert.equal(await page.evaluate(() => document.activeElement.textContent), rest[1]);
	},

	// These names stand from left to right, each at another place; what was read is that of the document.
	async flow() {
		const page = await open();
		const texts = await page.$$eval('[data-chart="flow"] text', (all) => all.map((t) => ({ name: t.firstChild.textContent, bytes: t.lastChild.textContent, ...t.getBoundingClientRect().toJSON() })));
		const found = rest.map((name) => texts.find((t) => t.name === name));
		const places = found.map((t) => (t.left + t.right) / 2), edge = await svg(page, "flow").boundingBox();
		assert.deepEqual(places, [...places].sort((a, b) => a - b), JSON.stringify(texts));
		assert(found.at(-1).right > edge.x + edge.width - 10 && found[0].left < edge.x + 10, "the ends are at the edges");
		const read = await page.evaluate(() => Object.values(JSON.parse(document.getElementById("data").textContent).traces[0].explain.flow.device_read).reduce((sum, o) => sum + o.bytes, 0));
		assert.equal(found.at(-1).bytes === "0 B", read === 0, found.at(-1).bytes);
	},

	// Words on bars are told apart from them: 4 to 1 at least, as WCAG counts contrast.
	async inks() {
		const page = await open();
		let seen = 0;
		for (const colorScheme of ["light", "dark"]) {
			await page.emulateMedia({ colorScheme });
			await page.waitForFunction((theme) => document.documentElement.dataset.theme === theme, colorScheme);
			const pairs = await page.$$eval(".inside-bar", (texts) => texts.map((t) => [t.textContent, getComputedStyle(t).fill, getComputedStyle(t.previousElementSibling).fill]));
			for (const [text, ...fills] of pairs) {
				const [a, b] = fills.map((fill) => {
					const [r, g, blue] = fill.match(/[\d.]+/g).map((v) => (v / 255 <= 0.04 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
					return 0.2126 * r + 0.7152 * g + 0.0722 * blue + 0.05;
				});
				assert(Math.max(a / b, b / a) >= 4, `${colorScheme}: '${text}', ${fills[0]} on ${fills[1]}`);
				seen++;
			}
		}
		assert(seen >= 4, `${seen} words`);
	},

	// A moment in a chart (given) has its time of day, which follows from the start (given, as Date has it); "": none.
	async clock() {
		const [chart, start] = rest, page = await open();
		await svg(page, chart).focus();
		const [at, clock] = (await page.textContent(".tip b")).split(" · ");
		await page.keyboard.press("+");
		const range = await page.textContent(".range-text");
		if (!start) {
			assert.match(`${at} ${clock} ${range}`, /^(?!.*UTC)/);
			return;
		}
		const told = Date.parse(`${start.slice(0, 10)}T${clock.replace(" UTC", "")}Z`);
		assert(Math.abs(told - Date.parse(start) - 1000 * parseFloat(at)) < 2, `${clock} is not ${at} after ${start}`);
		assert.match(range, /^[\d.]+ s to [\d.]+ s · [\d:.]+ UTC to [\d:.]+ UTC$/);
		const jump = page.locator("#slow .jump").first();
		assert.match(await jump.getAttribute("title"), /^\d\d:\d\d:\d\d\.\d{6} UTC: show the second around it$/);
	},

	// With this part of the time ("#t=1-2"; "": all), the texts of these elements (a selector) match an expression.
	async says() {
		const [part, selector, expected] = rest, page = await open({}, part);
		const texts = await page.$$eval(selector, (found) => found.map((e) => e.textContent));
		assert.match(texts.join("|"), new RegExp(expected));
	},

	async zoom() {
		const page = await open();
		const tick = (chart) => page.$$eval(`[data-chart="${chart}"] .axis.x text`, (t) => t.map((e) => e.textContent).join());
		const before = { load: await tick("load"), latency: await tick("latency"), queue: await tick("queue") };
		await drag(page, "load", 0.25, 0.5);
		assert.match(await hash(page), /^#t=[\d.]+-[\d.]+$/);
		for (const chart of Object.keys(before)) assert.notEqual(await tick(chart), before[chart], `${chart} did not zoom`);
		assert.match(await page.textContent('[data-figure="ios"] .selected'), /selection: [\d,]+/);
		for (const command of ["explain", "dump"])
			assert.match(await page.textContent("footer"), new RegExp(`blkreel ${command} --from [\\d.]+s --to [\\d.]+s one\\.reel`));
		const zoomed = await hash(page);
		const again = await open({}, zoomed);
		assert.equal(await hash(again), zoomed);
		assert.equal(await again.isVisible(".whole"), true);
		await again.click(".whole");
		assert.equal(await hash(again), "");
		assert.match(await again.textContent("footer"), /blkreel explain one\.reel/);
		await drag(page, "latency", 0.3, 0.6);
		assert.notEqual(await hash(page), zoomed);
		await svg(page, "queue").dblclick();
		assert.equal(await hash(page), "");
		assert.equal(await tick("load"), before.load);
	},

	async keys() {
		const page = await open();
		const inside = async () => (await hash(page)).slice(3).split("-").map(Number);
		const told = async () => ((await page.isVisible(".tip")) ? page.textContent(".tip b") : "");
		await svg(page, "load").focus();
		const middle = await told();
		assert.notEqual(middle, "", "a focused chart tells nothing");
		assert.equal(await page.$eval('[data-chart="queue"] .crosshair', (line) => line.style.display), "", "no line in the other charts");
		await page.keyboard.press("ArrowRight");
		assert.notEqual(await told(), middle);
		await page.keyboard.press("ArrowLeft");
		assert.equal(await told(), middle);
		assert.equal(await hash(page), "");
		await page.keyboard.press("+");
		const [from, to] = await inside();
		assert.notEqual(await told(), "", "the tip stays with the focus");
		await page.keyboard.press("Shift+ArrowRight");
		const [later] = await inside();
		assert(later > from, `${later} after ${from}`);
		await page.keyboard.press("Shift+ArrowLeft");
		assert.deepEqual(await inside(), [from, to]);
		await page.keyboard.press("+");
		assert((await inside())[1] - (await inside())[0] < to - from);
		await page.keyboard.press("Escape");
		assert.equal(await hash(page), "");
		assert.equal(await page.evaluate(() => document.activeElement.tagName), "svg", "the chart keeps the focus");
		assert.equal(await told(), "");
		for (const chart of await page.$$eval(".chart .plot svg", (drawings) => drawings.map((d) => d.dataset.chart))) {
			await svg(page, chart).focus();
			for (let i = 0; i < 25 && !(await told()); i++) await page.keyboard.press("ArrowRight");
			assert.notEqual(await told(), "", `${chart} tells nothing`);
			await page.keyboard.press("Escape");
			assert.equal(await told(), "", `${chart} still tells something`);
		}
	},

	async tables() {
		const page = await open();
		const column = (n) => page.$$eval(`#tasks tbody tr:not([hidden]) > :nth-child(${n})`, (c) => c.map((e) => Number(e.dataset.v)));
		await page.click("#tasks thead th:nth-child(3) button");
		assert.equal(await page.getAttribute("#tasks thead th:nth-child(3)", "aria-sort"), "descending");
		let values = await column(3);
		assert.deepEqual(values, [...values].sort((a, b) => b - a));
		await page.click("#tasks thead th:nth-child(3) button");
		values = await column(3);
		assert.deepEqual(values, [...values].sort((a, b) => a - b));
		const slow = page.locator(".list", { has: page.locator("#slow") });
		assert.equal(await page.locator("#slow tbody tr:visible").count(), 10);
		await slow.locator(".more").click();
		const all = await page.locator("#slow tbody tr:visible").count();
		assert(all > 10, `${all} rows`);
		await slow.locator("input").fill("no such file anywhere");
		assert.equal(await page.locator("#slow tbody tr:visible").count(), 0);
		await slow.locator("input").fill("");
		await page.locator("#slow .jump").first().click();
		const at = Number(await page.locator("#slow [data-at]").first().getAttribute("data-at")) / 1e9;
		const text = await hash(page);
		if (text) {
			const [from, to] = text.slice(3).split("-").map(Number);
			assert(from <= at && at <= to, `${at} is not in ${text}`);
		}
	},

	// A saved chart is a document of its own.
	async export() {
		const page = await open();
		for (const chart of ["load", "latency", "percentiles"]) {
			const [download] = await Promise.all([page.waitForEvent("download"), page.click(`[data-chart="${chart}"] .save`)]);
			const text = await textOf(download);
			assert.equal(download.suggestedFilename(), `${chart}.svg`);
			assert(!text.includes("var(--"), "a colour of the page is left");
			const problem = await page.evaluate((t) => new DOMParser().parseFromString(t, "image/svg+xml").querySelector("parsererror")?.textContent ?? "", text);
			assert.equal(problem, "");
			assert.equal(text.includes("data:image/png"), chart === "latency");
		}
	},

	async print() {
		const page = await open({ colorScheme: "dark" });
		const hidden = () => page.$$eval(".list tbody tr[hidden]", (rows) => rows.length), cut = await hidden();
		assert(cut > 0, "no table has rows to show");
		await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
		assert.equal(await hidden(), 0, "rows are left out");
		assert.equal(await page.$$eval("details:not([open])", (d) => d.length), 0);
		assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(244, 246, 248)");
		await page.evaluate(() => dispatchEvent(new Event("afterprint")));
		assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
		assert.equal(await hidden(), cut);
		assert((await page.pdf({ format: "A4" })).length > 20000);
	},

	// No sideways scroll, nothing of a chart outside its card, and each text of a chart whole and apart from the others.
	async widths() {
		const page = await open();
		for (const width of [1400, 900, 400]) {
			await page.setViewportSize({ width, height: 900 });
			await page.waitForFunction(() => document.body.dataset.drawnAt === String(innerWidth));
			for (const colorScheme of ["light", "dark"]) {
				await page.emulateMedia({ colorScheme });
				await page.waitForFunction((theme) => document.documentElement.dataset.theme === theme, colorScheme);
				const wide = await page.evaluate(() => document.documentElement.scrollWidth);
				assert(wide <= width, `${wide} pixels at ${width} ${colorScheme}`);
				const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
				assert.equal(background, colorScheme === "dark" ? "rgb(11, 14, 18)" : "rgb(244, 246, 248)");
				const over = await page.$$eval(".plot svg", (drawings) => drawings.filter((s) => s.getBoundingClientRect().width > s.parentNode.getBoundingClientRect().width + 1).length);
				assert.equal(over, 0, `${over} charts wider than their place at ${width}`);
				assert.deepEqual(await page.evaluate(badTexts), [], `texts at ${width} ${colorScheme}`);
			}
		}
	},

	async accessible() {
		const source = require("axe-core").source, page = await open({ bypassCSP: true });
		await page.evaluate(source);
		for (const width of [1400, 400]) {
			await page.setViewportSize({ width, height: 900 });
			await page.waitForFunction(() => document.body.dataset.drawnAt === String(innerWidth));
			for (const colorScheme of ["light", "dark"]) {
				await page.emulateMedia({ colorScheme });
				await page.waitForFunction((theme) => document.documentElement.dataset.theme === theme, colorScheme);
				// The theme changes colours alone.
				const rules = colorScheme === "dark" ? { runOnly: { type: "rule", values: ["color-contrast"] } } : {};
				const { violations } = await page.evaluate((r) => axe.run(document, { resultTypes: ["violations"], ...r }), rules);
				const told = violations.map((v) => `${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map((n) => `${n.target} ${n.failureSummary}`).join("; ")}`);
				assert.equal(told.join("\n"), "", `${colorScheme} ${width}`);
			}
		}
	},

	// Names of a trace make no element; and if one did, the policy would stop its code.
	async hostile() {
		const page = await open();
		assert.equal(await page.$$eval("img, iframe, b[onclick]", (e) => e.length), 0);
		assert((await page.textContent("main")).includes("<img src=x onerror=alert(1)>"));
		assert.deepEqual(seen, []);
		await page.evaluate(() => document.body.insertAdjacentHTML("beforeend", '<img src="https://example.invalid/x" onerror="globalThis.ran = 1"><script>globalThis.ran = 1</scr' + "ipt>"));
		await page.waitForTimeout(300);
		assert.equal(await page.evaluate(() => globalThis.ran ?? 0), 0);
		assert(seen.some((s) => s.includes("Content Security Policy")), "the policy says nothing");
		assert.deepEqual(seen.filter((s) => s.startsWith("request:") && !failed.includes(s)), []);
		seen.length = 0;
	},
};

try {
	await checks[check]();
	assert.deepEqual(seen, [], "the console and the network stay silent");
} catch (error) {
	console.log(error.message ?? error);
	console.log(error.stack?.split("\n").find((line) => line.includes("page_check.mjs")) ?? "");
	process.exitCode = 1;
} finally {
	await browser.close();
}
