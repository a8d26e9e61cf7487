"""Reports in one file: evaluated cases, metrics with intervals, and cautions.

`measured` and its siblings make the content as data; `html` and `text` write it. The page needs Jinja2:
``pip install "howsure[report]"``.
"""
