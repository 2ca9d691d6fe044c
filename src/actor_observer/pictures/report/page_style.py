"""How the report looks: a page of a paper, light and dark, wide and narrow."""

from __future__ import annotations

__all__ = ["CSS"]

CSS = """
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1d1d1f; --faint: #66666c; --rule: #d9d9de;
  --tint: #f4f6f9; --third: #0072b2; --first: #b84f00; --link: #0064a0; --shade: #1d1d1f3d; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #181818; --ink: #ececf0; --faint: #a3a3ab; --rule: #38393f; --tint: #222225;
    --third: #56b4e9; --first: #e69f00; --link: #7cc4f0; --shade: #ececf04d; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 1.0625rem/1.58 Charter, "Bitstream Charter", "Iowan Old Style", Georgia, "Times New Roman", serif; }
main { max-width: 46rem; margin: 0 auto; padding: 3rem 1.25rem 4rem; }
h1, h2, th, td, small, figcaption, nav, .tiles, .by, code, pre, summary, footer {
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
h1 { font-size: clamp(1.6rem, 5.5vw, 2.3rem); line-height: 1.18; letter-spacing: -0.015em; margin: 0 0 .5rem;
  text-wrap: balance; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 3rem 0 .75rem; padding-top: .9rem; border-top: 1px solid var(--rule); }
p { margin: 0 0 1rem; overflow-wrap: anywhere; }
a { color: var(--link); }
.by { color: var(--faint); font-size: .9rem; margin-bottom: 1.5rem; }
nav { font-size: .9rem; margin: 0 0 2rem; display: flex; flex-wrap: wrap; gap: .25rem 1.1rem; }
.third { color: var(--third); } .first { color: var(--first); }
.tiles { display: grid; grid-template-columns: repeat(4, 1fr); gap: .75rem; margin: 1.75rem 0; }
.tile { background: var(--tint); border-radius: .6rem; padding: .8rem .9rem; }
.tile { display: flex; flex-direction: column; }
.tile b { font-size: 1.65rem; line-height: 1.25; margin-top: auto; font-variant-numeric: tabular-nums; }
.tile span { display: block; font-size: .8rem; line-height: 1.35; color: var(--faint); }
.tile span.what { color: var(--ink); font-weight: 600; }
figure { margin: 2rem 0; }
figure img { display: block; width: 100%; max-width: none; height: auto; }
figcaption { font-size: .86rem; line-height: 1.5; color: var(--faint); margin-top: .6rem; overflow-wrap: anywhere; }
figcaption b { color: var(--ink); }
.table figcaption { margin: 0 0 .5rem; }
.scroll { overflow-x: auto; -webkit-overflow-scrolling: touch; border-block: 1.5px solid var(--ink);
  background: linear-gradient(to left, var(--paper) 30%, transparent) right / 3rem 100% no-repeat local,
    linear-gradient(to left, var(--shade), transparent) right / 1.1rem 100% no-repeat scroll; } /* more to the right */
.scroll:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
table { border-collapse: collapse; width: 100%; font-size: .86rem; font-variant-numeric: tabular-nums; }
th, td { padding: .36rem .55rem; text-align: right; vertical-align: baseline; }
td { white-space: nowrap; } td small { display: block; color: var(--faint); font-size: .74rem; line-height: 1.25; }
thead th { font-weight: 600; border-bottom: 1px solid var(--rule); min-width: 4.5rem; line-height: 1.3;
  vertical-align: bottom; }
thead th:first-child { text-align: left; padding-left: 0; }
tbody th { text-align: left; font-weight: 400; position: sticky; left: 0; background: var(--paper); min-width: 8.5rem;
  max-width: 15rem; line-height: 1.35; padding-left: 0; }
tbody tr + tr > * { border-top: 1px solid color-mix(in srgb, var(--rule) 45%, transparent); }
tr.group > th { font-weight: 600; padding-top: .8rem; color: var(--link); max-width: none; }
tr.ours > * { font-weight: 650; } tr.ours small { font-weight: 400; }
details { margin: 1rem 0; } summary { cursor: pointer; font-size: .92rem; color: var(--link); }
pre { overflow-x: auto; background: var(--tint); padding: 1rem; border-radius: .6rem; font-size: .8rem;
  line-height: 1.5; }
pre, code { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--rule); font-size: .84rem;
  color: var(--faint); }
@media (max-width: 42rem) { .tiles { grid-template-columns: 1fr 1fr; gap: .5rem; } }
@media (max-width: 30rem) {
  figure:not(.table) img { width: calc(100% + 1.5rem); margin-inline: -.75rem; }
  main { padding: 1.75rem 1rem 3rem; } body { font-size: 1rem; }
  tbody th { max-width: 9rem; min-width: 7.5rem; } }
@media print { main { max-width: none; } .scroll { overflow: visible; } figure, .tile { break-inside: avoid; } }
"""
