"""Parquet: cut between row groups; the new columns are structs, as ``enrich_arrow`` adds them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from dragoman.arrow import arrow, check_columns
from dragoman.batch.reading import Piece, Reject, Work
from dragoman.errors import DataError

AT_ONCE = 4096  # rows


class ParquetFile:
    """The format ``parquet``."""

    def pieces(self, file: IO[bytes], rows: int, whole: bool, work: Work) -> Iterator[Piece]:
        """Cuts between row groups, where at least ``rows`` rows stand before the cut."""
        known = _opened(file)
        check_columns(known.schema_arrow, work.text, dict.fromkeys(work.columns))
        start, first, row = 0, 1, 0
        for group in range(known.num_row_groups):
            row += known.metadata.row_group(group).num_rows
            if row + 1 - first >= rows:
                yield Piece(start, group + 1, first)
                start, first = group + 1, row + 1
        if start < known.num_row_groups or not known.num_row_groups:
            yield Piece(start, known.num_row_groups, first)

    def convert(self, file: IO[bytes], piece: Piece, target: Path, work: Work, reject: Reject) -> int:
        """A row for each row whose text is not too long."""
        pa = arrow()
        import pyarrow.parquet as pq

        if work.engine is None:
            raise DataError("there is nobody to read the texts", advice="give the work an engine")
        known = _opened(file)
        groups = list(range(piece.start, known.num_row_groups if piece.end is None else piece.end))
        schema = work.engine.add(pa.RecordBatch.from_pylist([], schema=known.schema_arrow)).schema
        count, row = 0, piece.line
        with pq.ParquetWriter(target, schema) as out:
            for batch in known.iter_batches(batch_size=AT_ONCE, row_groups=groups) if groups else ():
                kept = self._kept(batch, row, work, reject)
                row += batch.num_rows
                if kept.num_rows:
                    out.write_batch(work.engine.add(kept))
                    count += kept.num_rows
        return count

    def _kept(self, batch: Any, row: int, work: Work, reject: Reject) -> Any:
        """The rows that can be read; the others are told."""
        pa = arrow()
        import pyarrow.compute as pc

        texts = batch.column(batch.schema.get_field_index(work.text)).cast(pa.string())
        fits = pc.less_equal(pc.utf8_length(texts), work.limit).fill_null(True)
        if pc.all(fits, min_count=0).as_py():
            return batch
        for number, good in enumerate(fits.to_pylist(), row):
            if not good:
                reject(number, f"the text is longer than {work.limit} characters", None)
        return batch.filter(fits)


def _opened(file: IO[bytes]) -> Any:
    pa = arrow()
    import pyarrow.parquet as pq

    try:
        return pq.ParquetFile(file)
    except (pa.ArrowException, OSError) as error:
        raise DataError("cannot be read as Parquet", advice="check the file") from error
