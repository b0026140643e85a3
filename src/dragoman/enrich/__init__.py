"""Enrichment: the corpus's own words appended to the person's, and why each."""

from dragoman.enrich.enrich import Enriched, enrich
from dragoman.enrich.work import EnrichSettings

__all__ = ["EnrichSettings", "Enriched", "enrich"]
