"""Formulas of metrics, written as in their declarations, as MathML: quotients, indices, sums and words."""

from __future__ import annotations

import html
import re
from itertools import groupby

TOKEN = re.compile(r"[A-Za-zΑ-Ωα-ω]+\d?(?:_\{[^}]+\}|_\w+)?²?′?|Σ(?:_\{[^}]+\}|_\w+)?|\d+(?:\.\d+)?|\S")
BRACKETS = {"(": ")", "[": "]", "|": "|"}
BETWEEN_TERMS = frozenset("+-−=≠<>≤∩;,")
BETWEEN_FACTORS = frozenset("×·")


PHRASE = re.compile(r"[a-z]{3,} [a-z]{2,}")


def math(name: str, formula: str) -> str:
    """Return `name = formula` as MathML, which keeps the formula as it was written, for search and copying.

    A slash makes a quotient of the whole product before it and of the factor after it. What has a phrase (two
    words in a row) stays in one line: there a slash may stand between phrases.
    """
    head, sign, phrase = _without_remark(formula)
    tokens = TOKEN.findall(head)
    right = _in_line(tokens) if PHRASE.search(head) else _Parser(tokens).expression()
    remark = [_operator(sign), _in_line(TOKEN.findall(phrase))] if sign else []
    shown = _row([_Parser(TOKEN.findall(name)).expression(), _operator("="), right, *remark])
    plain = f'<annotation encoding="text/plain">{html.escape(f"{name} = {formula}")}</annotation>'
    return f'<math display="block"><semantics>{shown}{plain}</semantics></math>'


def _without_remark(formula: str) -> tuple[str, str, str]:
    """Split off what a comma or semicolon outside of parentheses adds in words."""
    for found in re.finditer("[,;] ", formula):
        head, rest = formula[: found.start()], formula[found.end() :]
        if head.count("(") == head.count(")") and PHRASE.search(rest):
            return head, found[0][0], rest
    return formula, "", ""


def _in_line(tokens: list[str]) -> str:
    """Tokens one after the other; words in a row are one text."""
    parts = []
    for are_words, run in groupby(tokens, _is_word):
        run_of = list(run)
        parts += [f"<mtext>&nbsp;{' '.join(run_of)}&nbsp;</mtext>"] if are_words else map(_atom, run_of)
    return _row(parts)


def _is_word(token: str) -> bool:
    return token.isalpha() and token.islower() and len(token) > 1


class _Parser:
    """A formula by recursive descent; every method consumes what it returns."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.at = 0

    @property
    def next(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        token = self.next
        self.at += 1
        return token

    def expression(self, end: str = "") -> str:
        """Terms up to a closing sign, or to the end."""
        parts = []
        while self.next and self.next != end:
            parts.append(_operator(self.take()) if self.next in BETWEEN_TERMS else self.term(end))
        return _row(parts)

    def term(self, end: str) -> str:
        """A product, which a slash puts over the next factor."""
        parts: list[str] = []
        while self.next and self.next != end and self.next not in BETWEEN_TERMS:
            if self.next == "/":
                self.take()
                parts = [f"<mfrac>{_unbracketed(parts)}{self.factor_below()}</mfrac>"]
            elif self.next in BETWEEN_FACTORS:
                parts.append(_operator(self.take()))
            else:
                parts.append(self.factor())
        return _row(parts)

    def factor_below(self) -> str:
        """Return what stands below a bar: a factor, or a sum with its summand."""
        is_sum = self.next.startswith("Σ")
        return _unbracketed([self.factor(), *([self.factor()] if is_sum else [])])

    def factor(self) -> str:
        """Return a name, a number, or what stands in brackets."""
        opening = self.take()
        closing = BRACKETS.get(opening, "")
        inner = "".join(self.tokens[self.at :]).partition(")")[0]
        if not closing or (opening == "|" and "|" not in inner):
            return _atom(opening)
        inside = self.expression(closing)
        self.take()
        return f"<mrow>{_operator(opening)}{inside}{_operator(closing)}</mrow>"


ROUND = re.compile(r'<mrow><mo stretchy="false">\(</mo>(.*)<mo stretchy="false">\)</mo></mrow>')


def _unbracketed(parts: list[str]) -> str:
    """Return a row, without the parentheses that a bar makes superfluous."""
    bracketed = ROUND.fullmatch(parts[0]) if len(parts) == 1 else None
    return bracketed[1] if bracketed else _row(parts)


def _row(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"<mrow>{''.join(parts)}</mrow>"


def _operator(sign: str) -> str:
    shown = html.escape({"-": "−"}.get(sign, sign))
    return f'<mo stretchy="false">{shown}</mo>' if sign in "()[]|" else f"<mo>{shown}</mo>"


def _atom(token: str) -> str:
    """Return a number, a sum with its index, an operator, or a name.

    A letter is a variable, a word is text; both may have an index and a square.
    """
    if token[0].isdigit():
        return f"<mn>{token}</mn>"
    base, _, index = token.rstrip("²").partition("_")
    index = index.strip("{}")
    if base == "Σ":
        return f"<munder><mo>∑</mo>{_in_line(TOKEN.findall(index))}</munder>" if index else "<mo>∑</mo>"
    if not base[0].isalpha():
        return _operator(token)
    tag = "mi" if len(base.rstrip("′")) < 3 else "mtext"
    shown = f"<{tag}>{base}</{tag}>"
    if index:
        shown = f"<msub>{shown}<mtext>{index}</mtext></msub>"
    return f"<msup>{shown}<mn>2</mn></msup>" if token.endswith("²") else shown
