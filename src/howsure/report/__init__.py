"""The report: what was evaluated, what the metrics are, and how sure one may be of them, in one file.

`summary` makes the content as data; `html` and `text` write it. The page needs Jinja2:
``pip install "howsure[report]"``.
"""
