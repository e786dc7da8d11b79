"""Each DAG declared once, as data, and the executor that runs it inline."""
