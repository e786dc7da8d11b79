"""Hooks: endpoints and databases by their Airflow Connection."""
