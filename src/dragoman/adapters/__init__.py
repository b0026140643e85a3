"""dragoman inside other frameworks: one module for each, which alone imports it (extras ``langchain``, ``llama-index``,
``haystack``). What every one of them passes on is in ``carry``.
"""
