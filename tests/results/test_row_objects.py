"""The classes of rows that are written as objects have the columns of their tables."""

from results.store.tables import TABLES
from results.store.tables.rows import StoredRow


def test_every_column_of_its_table_is_a_field() -> None:
    classes = StoredRow.__subclasses__()
    assert len(classes) == 9
    for kind in classes:
        table = TABLES[kind.__table__.name]  # type: ignore[attr-defined]  # every class of rows has it
        assert list(kind.model_fields) == [column.name for column in table.columns]
