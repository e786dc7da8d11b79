"""The embedded stack: Postgres, Airflow, arena and MLflow as processes of this machine."""
