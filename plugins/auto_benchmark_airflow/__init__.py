"""What the project adds to Airflow: operators, sensors, triggers, connections, the compiler of flows."""
