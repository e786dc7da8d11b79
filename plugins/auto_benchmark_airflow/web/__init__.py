"""The page "Benchmark" of the Airflow UI: a JSON API over the project database and the script that shows it."""
