"""Auto Benchmark: the library behind the DAGs. It never imports Airflow."""

__version__ = "0.1.0"
