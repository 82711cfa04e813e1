"""Charts as SVG, PNG, PDF and HTML: made without a network; files appear whole or not at all."""

from __future__ import annotations

import hashlib
import html
import json
import os
import re
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from caesura.errors import ParameterError, missing_extra
from caesura.figures.drawing import Chart
from caesura.figures.theme import AUTO, THEMES, configuration, load_altair, named_theme
from caesura.io.files import write_whole

SCALE = 2.0
"""The pixels of a PNG per pixel of the figure."""

PPI = 300.0
"""The pixels per inch of a PNG whose width is a length."""

PART_ROLE = re.compile(r' role="graphics-[a-z]+" aria-roledescription="[^"]*"(?: aria-label="[^"]*")?')


def specification(chart: Chart, theme: str = "auto") -> dict[str, Any]:
    """Return a chart as Vega-Lite with the colors of a theme; the user's configuration takes precedence."""
    spec: dict[str, Any] = chart.to_dict()
    laid_out = spec.get("usermeta", {}).get("config", {})
    themed = _merged(configuration(named_theme(theme)), laid_out)
    spec["config"] = _merged(themed, _configured(chart))
    return spec


def _configured(chart: Chart) -> dict[str, Any]:
    """Return the user's configuration of a chart, without that of ``framed``.

    Altair's ``configure`` replaces the whole configuration, ``configure_axis`` and similar one section.
    """
    config: Any = chart.config
    own = config.to_dict() if isinstance(config, load_altair().Config) else config
    if not isinstance(own, dict):  # a chart of the user without a configuration
        return {}
    framed = configuration(THEMES[AUTO])
    is_replaced = not framed.keys() <= own.keys()
    return {key: value for key, value in own.items() if is_replaced or value != framed[key]}


def _merged(base: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    """Merge two dictionaries at every depth; the second takes precedence.

    >>> _merged({"axis": {"grid": True, "ticks": 8}}, {"axis": {"grid": False}, "font": "serif"})
    {'axis': {'grid': False, 'ticks': 8}, 'font': 'serif'}
    """
    both = {
        key: _merged(base[key], value)
        for key, value in above.items()
        if isinstance(value, dict) and isinstance(base.get(key), dict)
    }
    return {**base, **above, **both}


def to_svg(chart: Chart, theme: str = "auto") -> str:
    """Return a chart as SVG without style sheets, style attributes, scripts or addresses.

    With ``theme="page"``, text and lines have the color of the text around the SVG.
    """
    spec = specification(chart, theme)
    return _laid_out(drawn_as_svg(spec), spec)


def drawn_as_svg(spec: dict[str, Any]) -> str:
    """Return a specification as SVG, in the library's size."""
    convert, version = _converter()
    drawn: str = convert.vegalite_to_svg(spec, vl_version=version, allowed_base_urls=[])
    label = html.escape(spec["description"], quote=True)
    # Parts have roles without names; the whole picture has both.
    plain = PART_ROLE.sub("", drawn)
    named = plain.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)
    return _with_own_ids(named, hashlib.sha256(json.dumps(spec).encode()).hexdigest()[:12])


SIZE = re.compile(r'width="([\d.]+)" height="([\d.]+)" viewBox="[-\d. ]+"')


def size_of(svg: str) -> tuple[float, float]:
    """Return the width and height of a drawing, in pixels of the library."""
    size = SIZE.search(svg)
    assert size is not None
    return float(size[1]), float(size[2])


def _laid_out(svg: str, spec: dict[str, Any], unit: str = "pt") -> str:
    """Give a picture the size of its layout, and metadata for a hidden signature."""
    layout = spec.get("usermeta", {})
    if hidden := layout.get("hidden"):
        svg = svg.replace(">", f"><metadata>{html.escape(hidden)}</metadata>", 1)
    if (size := layout.get("size")) is None:
        return svg
    width, height = size_of(svg)
    scale, unit = size["scale"], unit if "points" in size else ""
    width = size["points"] / scale if "points" in size else width
    box = f'viewBox="0 0 {width:g} {height:g}"'
    return SIZE.sub(f'width="{width * scale:g}{unit}" height="{height * scale:g}{unit}" {box}', svg, count=1)


def _with_own_ids(svg: str, prefix: str) -> str:
    """Rename the definitions in a picture, which the library numbers across pictures.

    So the same chart gives the same bytes, and pictures in a page do not share definitions.
    """
    for number, name in enumerate(re.findall(r'<(?:clipPath|linearGradient) id="([^"]+)"', svg)):
        svg = svg.replace(f'id="{name}"', f'id="c{prefix}-{number}"').replace(
            f"url(#{name})", f"url(#c{prefix}-{number})"
        )
    return svg


def to_png(chart: Chart, theme: str = "auto") -> bytes:
    """Return a chart as PNG, with 300 pixels per inch if its layout has a length."""
    spec = specification(chart, theme)
    is_printed = "points" in spec.get("usermeta", {}).get("size", {})
    density = {"scale": 1.0, "ppi": PPI} if is_printed else {"scale": SCALE}
    drawn: bytes = _converter()[0].svg_to_png(_laid_out(drawn_as_svg(spec), spec, ""), **density)
    return in_png(drawn, _words(spec))


def to_pdf(chart: Chart, theme: str = "auto") -> bytes:
    """Return a chart as a one-page PDF, with title and signature as metadata."""
    spec = specification(chart, theme)
    drawn: bytes = _converter()[0].svg_to_pdf(_laid_out(drawn_as_svg(spec), spec, ""))
    return in_pdf(drawn, _words(spec))


def _words(spec: dict[str, Any]) -> dict[str, str]:
    """Return the metadata of a figure's file."""
    layout = spec.get("usermeta", {})
    return {"Title": spec.get("description", ""), "Subject": layout.get("signature", "")}


def to_html(chart: Chart, theme: str = "auto") -> str:
    """Return a page that draws the chart; it contains all scripts and loads nothing.

    The theme ``auto`` follows the reader's light or dark mode.
    """
    convert, version = _converter()
    spec = specification(chart, "page" if theme == "auto" else theme)
    bundle: str = convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=version)
    options = {"renderer": "svg", "actions": False}
    description = html.escape(spec["description"])
    # A "</script>" in the data would end the script.
    chart_json = json.dumps(spec, ensure_ascii=False).replace("<", "\\u003c")
    return PAGE.format(
        title=description,
        signature=html.escape(spec.get("usermeta", {}).get("signature", "")),
        bundle=bundle.replace("</script", "<\\/script"),
        spec=chart_json,
        options=json.dumps(options),
    )


PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width">
<meta name="description" content="{signature}">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ margin: 1em; color: #222; background: #fff; }}
@media (prefers-color-scheme: dark) {{ body {{ color: #e4e4e4; background: #121212; }} }}
</style>
</head>
<body>
<main><div id="figure" role="img" aria-label="{title}"></div></main>
<script>{bundle}</script>
<script>vegaEmbed("#figure", {spec}, {options});</script>
</body>
</html>
"""

WRITERS: dict[str, Callable[[Chart, str], str | bytes]] = {
    ".svg": to_svg,
    ".png": to_png,
    ".pdf": to_pdf,
    ".html": to_html,
}
"""The writer of each file extension."""


def writer_for(path: str | os.PathLike[str]) -> Callable[[Chart, str], str | bytes]:
    """Return the writer of a file of this name."""
    extension = Path(path).suffix.lower()
    if extension not in WRITERS:
        known = ", ".join(WRITERS)
        raise ParameterError(f"{path}: unknown extension of a figure; use {known}")
    return WRITERS[extension]


def save(chart: Chart, path: str | os.PathLike[str], theme: str = "auto") -> None:
    """Write a chart to a file, in the format of its extension: svg, png, pdf or html."""
    write_whole(Path(path), writer_for(path)(chart, theme))


def _converter() -> tuple[Any, str]:
    alt = load_altair()
    try:
        import vl_convert
    except ModuleNotFoundError:
        raise missing_extra("figures need vl-convert", "report") from None
    return vl_convert, ".".join(alt.SCHEMA_VERSION.split(".")[:2])


# -------------------------------------------------------------------- metadata of files

SIGNATURE = 8
HEADER = 25
"""The bytes of a PNG's signature, and of its first chunk, after which text may follow."""


def in_png(png: bytes, words: Mapping[str, str]) -> bytes:
    """Return a PNG with Unicode texts (iTXt; PNG, section 11.3.3.4) after its header."""
    chunks = b""
    for key, text in words.items():
        content = b"iTXt" + key.encode() + b"\0\0\0\0\0" + text.encode()
        chunks += (len(content) - 4).to_bytes(4, "big") + content + zlib.crc32(content).to_bytes(4, "big")
    return png[: SIGNATURE + HEADER] + chunks + png[SIGNATURE + HEADER :]


def in_pdf(pdf: bytes, words: Mapping[str, str]) -> bytes:
    """Return a PDF with an incremental update of its document information (ISO 32000-1, 7.5.6 and 14.3.3)."""
    trailer = re.search(
        rb"/Size (\d+)\s+/Root (\d+ 0 R)(?:\s+/Info (\d+) 0 R)?.*startxref\s+(\d+)", pdf, re.DOTALL
    )
    if trailer is None:  # a later version of the library may write another trailer
        return pdf
    size, root, info, before = trailer.groups()
    number = info or size
    entries = "".join(f"/{key} <feff{text.encode('utf-16-be').hex()}>" for key, text in words.items())
    update = pdf + b"\n%s 0 obj\n<<%s /Producer (caesura)>>\nendobj\n" % (number, entries.encode())
    table = b"xref\n%s 1\n%010d 00000 n\r\n" % (number, len(pdf) + 1)
    ends = max(int(size), int(number) + 1)
    end = b"trailer\n<</Size %d /Root %s /Info %s 0 R /Prev %s>>\nstartxref\n%d\n%%%%EOF\n"
    return update + table + end % (ends, root, number, before, len(update))
