"""PostgreSQL as the store of record: connections, migrations, what is read and written there, notice of changes.

Everything lives in the schema ``dragoman`` of one database. The SQL is data, in ``migrations/`` and ``queries/``.
"""
