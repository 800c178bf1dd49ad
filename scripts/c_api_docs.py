"""Turns a C header of rcclx into Markdown: its comments, with what they are of.

A comment that stands before a declaration documents it, and the functions that
follow without one of their own. `/*--- Title ---*/` begins a section."""

import re

TOKEN = re.compile(
    r"/\*---\s*(?P<section>.*?)\s*-*\*/"
    r"|/\*(?P<comment>.*?)\*/"
    r"|(?P<directive>\#[^\n]*(?:\\\n[^\n]*)*)"
    r"|(?P<code>(?:typedef\s+)?[^;{/#]*(?:\{[^}]*\}[^;]*)?;)",
    re.DOTALL,
)


def clean_comment(text):
    """The text of a comment without stars, as paragraphs."""
    lines = [re.sub(r"^\s*\*? ?", "", line).rstrip() for line in text.strip().splitlines()]
    return "\n".join(lines).strip()


def clean_code(text):
    """A declaration without what only compilers need."""
    text = re.sub(r"\b(RCCLX_API|RCCLX_NOEXCEPT)\b\s*", "", text)
    text = re.sub(r"\s+;", ";", text.strip())
    return text if "{" in text else re.sub(r"\s+", " ", text).replace("( ", "(")


def name_of(code):
    """What a declaration declares."""
    code = re.sub(r"\{.*\}", "", code, flags=re.DOTALL)
    if match := re.search(r"(\w+)\s*\(", code):
        return match[1]
    return re.findall(r"\w+", code)[-1]


def body_of(header):
    """What is between the guards for C++."""
    begin = re.search(r'extern "C" \{\n#else\n.*?#endif\n', header, re.DOTALL)
    end = header.rindex("#if defined(__cplusplus)")
    return header[begin.end() : end] if begin else header[:end]


def introduction_of(header):
    """The paragraphs of the file's comment after the line `Part of rcclx.`"""
    text = clean_comment(re.search(r"/\*=(.*?)\*/", header, re.DOTALL)[1])
    text = text.split("Part of rcclx.", 1)[1]
    return re.sub(r"[=-]+$", "", text.strip()).strip()


def parse(header):
    """(section, comment, declarations) in order; the comment may be empty."""
    entries = []
    section, comment = "", None
    for match in TOKEN.finditer(body_of(header)):
        if match["section"] is not None:
            section, comment = match["section"], None
        elif match["comment"] is not None:
            comment = clean_comment(match["comment"])
        elif match["code"] is not None:
            code = clean_code(match["code"])
            joins = comment is None and not code.startswith("typedef")
            if joins and entries and entries[-1][0] == section:
                entries[-1][2].append(code)
            else:
                entries.append((section, comment or "", [code]))
            comment = None
    return entries


def to_markdown(header, path):
    """The whole document."""
    lines = [f"<!-- Generated from {path}; don't edit -->", "", "# The C interface", ""]
    lines += [introduction_of(header), ""]
    last = ""
    for section, comment, declarations in parse(header):
        if section != last:
            lines += [f"## {section}", ""]
            last = section
        names = ", ".join(f"`{name_of(code)}`" for code in declarations)
        lines += [f"### {names}", "", "```c", *declarations, "```", ""]
        if comment:
            lines += [comment.replace("*", "\\*"), ""]
    return "\n".join(lines)
