"""The HTTP service: ``app.create_app`` makes it, ``run.run`` serves it."""
