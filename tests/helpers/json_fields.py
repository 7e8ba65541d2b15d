#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Holds docs/man/blkreel-json.5 against documents that blkreel printed:
    json_fields.py PAGE SOURCES FOLDER [EXEMPT ...]
Every *.json file in FOLDER is a document, every *.lines file has one a line; what has no key "schema" is
the document that the name of its file says (dump-io.2.lines: "dump-io").
- A key that was printed is in the page, with a value of the type that the page says.
- A field of the page is there in each of its objects, unless the page says when it is absent.
- A field of the page was printed by one of the documents, or is one of those EXEMPT (DOCUMENT or DOCUMENT:PATH);
  its key stands then at least as a text in the C files below SOURCES.
- Each schema of the C files has a section, and each key that they set with a text is in the page.
"""
import glob
import json
import os
import re
import sys

BODY = re.compile(
    r"(?P<array>array of )?(?P<type>[a-z_]+)(?P<null> or null)?(?:, (?P<unit>[^;:]+))?(?:; (?P<absent>absent [^:]+))?: "
    r"(?P<meaning>.+)\.$"
)
PLAIN = {"integer": int, "number": float, "string": str, "boolean": bool, "object": dict}
PLACEHOLDER = re.compile(r"[A-Z]{2,}")


class Page:
    """Documents and shapes: {name: [(path, match of BODY)]}; names: {placeholder: set of keys}."""

    def __init__(self, path):
        self.documents, self.shapes, self.names = {}, {}, {}
        self.problems = []
        section, fields, items, body = "", None, [], []

        def finish():
            nonlocal items, body
            if items and section == "NAMES":
                self.names[items[0]] = set(re.findall(r"[\w.-]+", " ".join(body)))
            elif items and fields is not None:
                self.add(fields, items, " ".join(body))
            items, body = [], []

        for line in open(path):
            line = line.rstrip("\n").replace("\\-", "-").replace("\\&", "")
            if line.startswith(".Sh "):
                finish()
                section, fields = line[4:], None
            elif line.startswith(".Ss "):
                finish()
                name = line[4:].split(": ")[0]
                of = {"SHAPES": self.shapes, "DOCUMENTS": self.documents, "LINES": self.documents}.get(section)
                fields = of.setdefault(name, []) if of is not None else None
            elif line.startswith(".It "):
                finish()
                items = [word for word in line.split()[1:] if word not in (",", "Va")]
            elif line.startswith(".El"):
                finish()
            elif items and not line.startswith((".Bl", '.\\"')):
                body.append(re.sub(r"^\.[A-Z][a-z] ", "", line))
        finish()

    def add(self, fields, items, text):
        match = BODY.match(text)
        if not match:
            self.problems.append(f"page: not 'TYPE, UNIT; absent ...: meaning.': {' , '.join(items)}: {text}")
            return
        for item in items:
            fields.append((item, match))


class Node:
    """What may stand at one place of a document. `label` is the path of the page, None for what follows from others."""

    def __init__(self):
        self.type, self.label = None, None
        self.null = self.absent = False
        self.keys, self.placeholders, self.element = {}, [], None

    def child(self, segment):
        if PLACEHOLDER.search(segment):
            for known, node in self.placeholders:
                if known == segment:
                    return node
            self.placeholders.append((segment, Node()))
            return self.placeholders[-1][1]
        return self.keys.setdefault(segment, Node())

    def at(self, path):
        node = self
        for segment in path.split("."):
            name = segment.rstrip("[]")
            node = node.child(name)
            for _ in range(segment.count("[]")):
                node.element = node.element or Node()
                node = node.element
        return node


class Check:
    def __init__(self, page):
        self.page, self.problems, self.printed = page, list(page.problems), set()
        self.trees = {name: self.tree(name, fields) for name, fields in page.documents.items()}

    def problem(self, text):
        if text not in self.problems:
            self.problems.append(text)

    def tree(self, name, fields):
        root = Node()
        root.type = "object"
        for path, match in fields:
            self.fill(root.at(path), match, f"{name}:{path}")
        return root

    def fill(self, node, match, label):
        if node.label:
            self.problem(f"page: twice: {label}")
        node.label, node.null, node.absent = label, bool(match["null"]), bool(match["absent"])
        if match["array"]:
            node.type, node.element = "array", node.element or Node()
            node = node.element
        node.type = match["type"]
        if node.type in PLAIN or node.type == "document":
            return
        if node.type.endswith("_document"):
            self.fill_document(node, node.type[:-len("_document")], label)
            return
        if node.type not in self.page.shapes:
            self.problem(f"page: {label}: no shape '{node.type}'")
            return
        shape = self.page.shapes[node.type]
        node.type = "object"
        for path, inner in shape:
            self.fill(node.at(path), inner, f"{match['type']}:{path}")

    def fill_document(self, node, name, label):
        """Another document inside this one, without its schema: its own section is checked where it is printed."""
        fields = self.page.documents.get(f"blkreel.{name}/1")
        if not fields:
            self.problem(f"page: {label}: no document '{name}'")
            return
        node.type = "object"
        for path, inner in fields:
            self.fill(node.at(path), inner, None)

    def labels(self, node):
        if node.label:
            yield node.label
        for child in [*node.keys.values(), *(n for _, n in node.placeholders), *([node.element] if node.element else [])]:
            yield from self.labels(child)

    def values_of(self, segment):
        """A pattern for the keys that a segment with a placeholder stands for."""
        pattern = ""
        for part in re.split(r"([A-Z]{2,})", segment):
            if PLACEHOLDER.fullmatch(part):
                if part not in self.page.names:
                    self.problem(f"page: no names for {part}")
                pattern += "(" + "|".join(re.escape(v) for v in self.page.names.get(part, ())) + ")"
            else:
                pattern += re.escape(part)
        return pattern

    def find(self, node, key):
        if key in node.keys:
            return node.keys[key]
        for segment, child in node.placeholders:
            if re.fullmatch(self.values_of(segment), key):
                return child
        return None

    def walk(self, node, value, where, root):
        if node.label:
            self.printed.add(node.label)
        if value is None:
            if not node.null:
                self.problem(f"{where}: null, but the page does not say so")
            return
        kind = node.type or ("array" if node.element else "object")
        if kind == "array":
            if not isinstance(value, list):
                self.problem(f"{where}: the page says array, it is {value!r:.40}")
                return
            for item in value:
                self.walk(node.element, item, where + "[]", root)
            return
        if kind == "document":
            self.walk(root, value, where, root)
            return
        if type(value) is not PLAIN[kind]:
            self.problem(f"{where}: the page says {kind}, it is {value!r:.40}")
            return
        if kind != "object":
            return
        for key, child in value.items():
            found = self.find(node, key)
            if found is None:
                self.problem(f"{where}.{key}: not in the page")
            else:
                self.walk(found, child, f"{where}.{key}", root)
        for key, child in node.keys.items():
            if key not in value and not child.absent and not (child.label is None and self.all_absent(child)):
                self.problem(f"{where}.{key}: not printed, and the page does not say when it is absent")

    def all_absent(self, node):
        """Whether an object or array that has no entry of its own need not be there."""
        children = [*node.keys.values(), *(n for _, n in node.placeholders), *([node.element] if node.element else [])]
        return bool(children) and all(c.absent or (c.label is None and self.all_absent(c)) for c in children)


def documents(folder):
    for path in sorted(glob.glob(os.path.join(folder, "*.json")) + glob.glob(os.path.join(folder, "*.lines"))):
        with open(path) as file:
            texts = file.read().splitlines() if path.endswith(".lines") else [file.read()]
        for text in texts:
            document = json.loads(text)
            yield document.get("schema") or os.path.basename(path).split(".")[0], os.path.basename(path), document


def read_sources(folders):
    paths = [p for f in folders for p in glob.glob(os.path.join(f, "**", "*.c"), recursive=True)]
    return {path: open(path).read() for path in paths}


SETTER = re.compile(
    r'\b(?:json_set_\w+|json_object_set_new|set_known|set_quality|set_share)\(\s*\w+,\s*"([a-z0-9_]+)"')


def check_sources(check, page, sources):
    known = {part for fields in [*page.documents.values(), *page.shapes.values()] for path, _ in fields
             for part in path.replace("[]", "").split(".")}
    for path, text in sources.items():
        for name in re.findall(r'json_document\("([\w-]+)"\)', text):
            if f"blkreel.{name}/1" not in page.documents:
                check.problem(f"{path}: no section blkreel.{name}/1 in the page")
        if '"render/json.h"' not in text:
            continue
        for key in SETTER.findall(text):
            if key not in known:
                check.problem(f"{path}: sets \"{key}\", which is not in the page")


def is_below(label, place):
    return label == place or label.startswith((place + ".", place + "[]", place + ":"))


def main():
    page_path, source_root, folder, *exempt = sys.argv[1:]
    page = Page(page_path)
    check = Check(page)
    sources = read_sources([source_root])
    seen = 0
    for name, file, document in documents(folder):
        seen += 1
        if name not in check.trees:
            check.problem(f"{file}: no section '{name}' in the page")
            continue
        check.printed.add(name)
        document.pop("schema", None)
        check.walk(check.trees[name], document, f"{file} {name}", check.trees[name])
    check_sources(check, page, sources)
    all_text = "\n".join(sources.values())
    labels = {label for tree in check.trees.values() for label in check.labels(tree)}
    for label in sorted(labels - check.printed):
        document, path = label.split(":", 1)
        key = path.replace("[]", "").split(".")[-1]
        if not any(is_below(label, e) for e in exempt):
            check.problem(f"{label}: in the page, but printed by no run")
        elif not PLACEHOLDER.search(key) and f'"{key}"' not in all_text and f'"%s_{key.split("_")[-1]}"' not in all_text:
            check.problem(f"{label}: in the page, but no key of the sources")
    for label in exempt:
        if not any(is_below(l, label) for l in labels):
            check.problem(f"{label}: exempt, but not in the page")
    for problem in check.problems:
        print(problem)
    print(f"{seen} documents, {len(labels)} fields, {len(labels & check.printed)} of them printed", file=sys.stderr)
    return 1 if check.problems or not seen else 0


if __name__ == "__main__":
    sys.exit(main())
