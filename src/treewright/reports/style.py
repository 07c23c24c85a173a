"""The style of reports in HTML. Words have the colour of the page around them, so that any theme suits.

Where style rules are taken out (GitHub, notebooks that are not trusted) tables and words remain, and the
attribute `hidden` keeps what is left of a picture away.
"""

from __future__ import annotations

from typing import Final

__all__ = ["REPORT_STYLE"]

#: Lines are a pale copy of the words' colour; where a browser cannot mix colours, a middle grey.
REPORT_STYLE: Final = """
.tw-report{max-width:64em;margin:.5em 0;font-size:14px;line-height:1.45;text-align:left;overflow-x:auto;
--tw-line:var(--jp-border-color1,#8b949e80);--tw-band:var(--jp-rendermime-table-row-hover-background,#8b949e33)}
@supports (color:color-mix(in srgb,red,blue)){.tw-report{
--tw-line:color-mix(in srgb,currentColor 25%,transparent);
--tw-band:color-mix(in srgb,currentColor 9%,transparent)}}
.tw-report p{margin:.35em 0}
.tw-report .tw-title{font-size:1.1em}
.tw-report .tw-picture{display:block;margin:.6em 0}
.tw-report .tw-picture>svg{--tw-page:transparent!important;--tw-ink:currentColor!important;
--tw-grey:currentColor!important;--tw-line:#818b96!important;--tw-edge:#818b96!important}
.tw-report table{border-collapse:collapse;margin:.5em 0;font-variant-numeric:tabular-nums;font-size:1em;
width:auto;border:0;color:inherit;table-layout:auto}
.tw-report caption{caption-side:top;text-align:left;padding:.2em 0;font-style:italic;color:inherit}
.tw-report thead th{border-bottom:1px solid var(--tw-line);font-weight:600;vertical-align:bottom}
.tw-report td,.tw-report th{padding:.15em .8em .15em 0;border:0;background:none;color:inherit;
max-width:34em;overflow-wrap:anywhere;vertical-align:top}
.tw-report tbody th{font-weight:400}
.tw-report [align=left]{text-align:left!important}
.tw-report [align=right]{text-align:right!important}
.tw-report tr,.tw-report tbody tr:nth-child(odd){background:none}
.tw-report tbody tr:hover{background:var(--tw-band)}
.tw-report tr.tw-marked,.tw-report tbody tr.tw-marked{background:var(--tw-band)}
.tw-report tr.tw-marked th{font-weight:600}
.tw-report .tw-remark{white-space:nowrap}
.tw-report details{margin:.35em 0}
.tw-report summary{cursor:pointer}
.tw-report pre{margin:.35em 0;white-space:pre-wrap;background:none;color:inherit;
font:.93em/1.5 var(--jp-code-font-family,ui-monospace,monospace)}
"""
