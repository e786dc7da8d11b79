"""One module per DAG, one function per task; callable without Airflow."""
