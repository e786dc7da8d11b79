"""Sensors: tasks that wait without holding a worker."""
