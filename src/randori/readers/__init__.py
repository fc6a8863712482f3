"""Programs that read files with libraries of other people, each in a process of its own.

`formats/child.py` starts them. They import numpy and the library, and nothing else of Randori's.
"""
