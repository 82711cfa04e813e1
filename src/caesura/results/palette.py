"""The colors of pages and figures, in light and dark mode.

Edits have the colors of Okabe & Ito (2008), safe for color blindness, but for a darker amber: in light mode
each has a contrast of at least 3:1 on white and on black.
"""

from __future__ import annotations

LIGHT = {
    "ink": "#1c1d21", "faint": "#5d616b", "line": "#d9dbe1", "soft": "#f3f4f6", "paper": "#ffffff",
    "accent": "#0b5c8c", "current": "#fff3d1", "heat": "#0072b2", "shade": "rgb(0 0 0 / 22%)",
    "near": "#b8860b", "missed": "#d55e00", "spurious": "#0072b2", "type": "#cc79a7", "match": "#009e73",
    "on-sign": "#000000",
}  # fmt: skip
DARK = {
    "ink": "#e8e9ed", "faint": "#a9adb8", "line": "#3b3e47", "soft": "#24262c", "paper": "#17181c",
    "accent": "#7cc4f2", "current": "#3d3621", "heat": "#56b4e9",
    "shade": "rgb(255 255 255 / 28%)",
    "near": "#f0b429", "missed": "#ff8a4c", "spurious": "#56b4e9", "type": "#e09cc4", "match": "#2fc79a",
}  # fmt: skip

EDITS = ("spurious", "missed", "match", "type", "near")

PALETTES = {
    "light": {**LIGHT, "mark": "#33363d", "types": [*(LIGHT[edit] for edit in EDITS), "#56b4e9", "#7a6f00"]},
    "dark": {**DARK, "mark": "#cfd2da", "types": [*(DARK[edit] for edit in EDITS), "#8fd0f5", "#f0e442"]},
}
"""The palettes of page scripts: boundary types have the colors of edits, and two more."""


def style_sheet() -> str:
    """Return the colors as CSS properties; print uses those of light mode."""
    light, dark = (" ".join(f"--{name}: {color};" for name, color in mode.items()) for mode in (LIGHT, DARK))
    dark = f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}"
    return f":root {{ color-scheme: light dark; {light} }}\n{dark}\n"
