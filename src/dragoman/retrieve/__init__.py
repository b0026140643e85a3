"""Search engines behind the ``Retriever`` seam: one file each."""
