"""DAG factories: one module per DAG, called once per project."""
