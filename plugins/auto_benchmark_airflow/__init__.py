"""What the project adds to Airflow: operators, sensors, triggers, connections, DAG factories."""
