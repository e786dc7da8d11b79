# The image of every Airflow component, and of the arena and MLflow. Trials have images of their own.
ARG BASE_IMAGE=python:3.11-slim
FROM ${BASE_IMAGE}
COPY requirements.txt /opt/auto-benchmark/requirements.txt
RUN python -m pip install --no-cache-dir --no-deps --disable-pip-version-check --root-user-action=ignore \
    -r /opt/auto-benchmark/requirements.txt
COPY include /opt/auto-benchmark/include
COPY plugins /opt/auto-benchmark/plugins
COPY dags /opt/auto-benchmark/dags
# Volumes take mode and owner of the directories that the image has in their place.
RUN echo "airflow:x:50000:0::/opt/airflow:/bin/sh" >> /etc/passwd \
    && mkdir -p -m 0777 /var/lib/auto-benchmark /opt/airflow/logs /var/lib/mlflow /var/lib/arena \
    && chmod 0777 /opt/airflow
ENV PYTHONPATH=/opt/auto-benchmark/include:/opt/auto-benchmark/plugins \
    PYTHONUNBUFFERED=1 \
    AIRFLOW_HOME=/opt/airflow \
    AIRFLOW__CORE__DAGS_FOLDER=/opt/auto-benchmark/dags \
    AIRFLOW__CORE__PLUGINS_FOLDER=/opt/auto-benchmark/plugins \
    AIRFLOW__CORE__LOAD_EXAMPLES=False \
    AUTO_BENCHMARK_HOME=/var/lib/auto-benchmark \
    HOME=/opt/airflow
WORKDIR /opt/airflow
USER 50000:0
CMD ["python", "-m", "airflow", "version"]
