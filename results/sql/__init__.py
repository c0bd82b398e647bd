"""All SQL of the ledger: tables, migrations, transactions, queries."""
